/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.transport.net.NetOptions;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What the sockets of one runtime have in common.
 *
 * @param rank               of the runtime
 * @param sndbuf             SO_SNDBUF in bytes; the system's choice if not positive
 * @param rcvbuf             SO_RCVBUF in bytes; the system's choice if not positive
 * @param retryCount         retries of a refused connection
 * @param retrySleepNs       wait before the first retry
 * @param handshakeTimeoutNs how long a peer may take to say who it is
 */
record SocketSettings(int rank, int sndbuf, int rcvbuf, int retryCount, long retrySleepNs, long handshakeTimeoutNs) {
    static SocketSettings of(ProxyConfig config, int rank) {
        return new SocketSettings(rank, config.get(NetOptions.SOCKET_SNDBUF).intValue(),
                config.get(NetOptions.SOCKET_RCVBUF).intValue(), config.get(NetOptions.SOCKET_RETRY_COUNT),
                config.get(NetOptions.SOCKET_RETRY_SLEEP).toNanos(),
                config.get(NetOptions.SOCKET_HANDSHAKE_TIMEOUT).toNanos());
    }

    void applyTo(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (sndbuf > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, sndbuf);
        }
        if (rcvbuf > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, rcvbuf);
        }
    }

    /** The receive buffer has to be set before the handshake of TCP, which agrees on the greatest window. */
    void applyTo(ServerSocketChannel server) throws IOException {
        server.configureBlocking(false);
        if (rcvbuf > 0) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, rcvbuf);
        }
    }
}
