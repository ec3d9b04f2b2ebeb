/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.Protocol;

/**
 * Where a GPU's kernels find what a {@link DeviceConnection} consists of: by the device's addresses, which need not be
 * those of this process. Immutable.
 *
 * @param sendMem of the words of {@link SendMem}
 * @param recvMem of the words of {@link RecvMem}
 * @param ll      of the LL buffer; 0 if there is none
 * @param ll128   of the LL128 buffer; 0 if there is none
 * @param simple  of the Simple buffer, or the shared pool; 0 if there is none
 * @param hasWholeLines whether the line that the threads of a warp store at once in the LL128 buffer is seen at once
 */
public record KernelAddresses(long sendMem, long recvMem, long ll, long ll128, long simple, boolean hasWholeLines) {
    /**
     * Of memory that promises nothing of lines.
     *
     * @param sendMem of the words of {@link SendMem}
     * @param recvMem of the words of {@link RecvMem}
     * @param ll      of the LL buffer; 0 if there is none
     * @param ll128   of the LL128 buffer; 0 if there is none
     * @param simple  of the Simple buffer, or the shared pool; 0 if there is none
     */
    public KernelAddresses(long sendMem, long recvMem, long ll, long ll128, long simple) {
        this(sendMem, recvMem, ll, ll128, simple, false);
    }

    /**
     * Of a protocol's buffer.
     *
     * @param protocol whose slots
     * @return 0 if there is none
     */
    public long buffer(Protocol protocol) {
        return switch (protocol) {
            case LL -> ll;
            case LL128 -> ll128;
            case SIMPLE -> simple;
        };
    }
}
