/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.transport.BufferBytes;
import java.time.Duration;

/**
 * How connections are laid out and used, from the configuration.
 *
 * @param buffers        sizes of a connection's buffers
 * @param isRead         whether the Simple slots lie at the sender
 * @param isCopied       whether the sender's proxy copies them
 * @param cpuCopyBytes   up to which size it does so without a stream, where the CPU reaches the device's memory
 * @param connectTimeout how long a peer may take to let its memory be mapped
 */
record P2pSettings(BufferBytes buffers, boolean isRead, boolean isCopied, long cpuCopyBytes, Duration connectTimeout) {
    /** A proxy that copies writes: there is no reading then. */
    static P2pSettings of(ProxyConfig config) {
        boolean isCopied = config.get(P2pOptions.USE_MEMCPY) != 0;
        BufferBytes buffers = BufferBytes.of(config);
        return new P2pSettings(isCopied ? buffers.withSimple(config.get(P2pOptions.MEMCPY_BUFFER_BYTES)) : buffers,
                config.get(P2pOptions.READ_ENABLE) == 1 && !isCopied, isCopied, config.get(P2pOptions.CPU_COPY_BYTES),
                config.get(CoreOptions.CONNECT_TIMEOUT));
    }

    EndLayout layout(Direction direction) {
        return new EndLayout(direction, isRead, isCopied, buffers);
    }

    boolean copies(Direction direction) {
        return isCopied && direction == Direction.SEND;
    }
}
