/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.DeviceConnection;

/**
 * The sizes of a connection's buffers. Both ends have to agree on them.
 *
 * @param ll     for LL, flags included
 * @param ll128  for LL128, flags included
 * @param simple for Simple
 */
public record BufferBytes(long ll, long ll128, long simple) {
    private static final long MAX = 1L << 30;
    /** Keeps every slot aligned to 128 bytes. */
    private static final long UNIT = 128L * DeviceConnection.STEPS;

    /**
     * As configured, rounded down to whole slots.
     *
     * @param config of the runtime
     * @return {@link #isSound}
     */
    public static BufferBytes of(ProxyConfig config) {
        return new BufferBytes(rounded(config.get(CoreOptions.LL_BUFFER_BYTES)),
                rounded(config.get(CoreOptions.LL128_BUFFER_BYTES)), rounded(config.get(CoreOptions.BUFFER_BYTES)));
    }

    /**
     * The same, but for Simple.
     *
     * @param bytes its size, rounded down to whole slots
     * @return other sizes
     */
    public BufferBytes withSimple(long bytes) {
        return new BufferBytes(ll, ll128, rounded(bytes));
    }

    /**
     * Of one protocol's buffer.
     *
     * @param protocol whose slots
     * @return bytes of all slots
     */
    public long of(Protocol protocol) {
        return switch (protocol) {
            case LL -> ll;
            case LL128 -> ll128;
            case SIMPLE -> simple;
        };
    }

    /**
     * What all three take.
     *
     * @return bytes
     */
    public long sum() {
        return ll + ll128 + simple;
    }

    /**
     * Whether a connection can have such buffers, for sizes that a peer told.
     *
     * @return false if one is too large, or no slots can be cut from it
     */
    public boolean isSound() {
        return isSound(ll) && isSound(ll128) && isSound(simple);
    }

    private static boolean isSound(long bytes) {
        return bytes > 0 && bytes <= MAX && bytes % UNIT == 0;
    }

    private static long rounded(long bytes) {
        return bytes / UNIT * UNIT;
    }
}
