/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.transport.BufferBytes;
import java.time.Duration;

/**
 * How connections are laid out and used, from the configuration.
 *
 * @param buffers        sizes of a connection's buffers
 * @param locality       whose segment holds them: {@link #SENDER} or {@link #RECEIVER}
 * @param copies         at which ends proxies copy: {@link #SENDER}, {@link #RECEIVER}, the sum of both, or 0
 * @param cpuCopyBytes   up to which size they do so without a stream
 * @param connectTimeout how long a peer may take to let its segment be mapped
 */
record ShmSettings(BufferBytes buffers, int locality, int copies, long cpuCopyBytes, Duration connectTimeout) {
    static final int SENDER = 1;
    static final int RECEIVER = 2;

    static ShmSettings of(ProxyConfig config) {
        return new ShmSettings(BufferBytes.of(config), config.get(ShmOptions.LOCALITY),
                config.get(ShmOptions.USE_MEMCPY) * config.get(ShmOptions.MEMCPY_MODE),
                config.get(ShmOptions.CPU_COPY_BYTES), config.get(CoreOptions.CONNECT_TIMEOUT));
    }

    /** Whether a rank's own segment holds the buffers. */
    boolean hasBuffers(Direction direction) {
        return locality == (direction == Direction.SEND ? SENDER : RECEIVER);
    }

    /** Whether a proxy copies at a rank's end. */
    boolean copies(Direction direction) {
        return (copies & (direction == Direction.SEND ? SENDER : RECEIVER)) != 0;
    }
}
