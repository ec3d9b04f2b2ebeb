/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.PortRange;
import io.proxyrt.transport.net.SocketOptions;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * What the sockets of one runtime have in common.
 *
 * @param rank      of the runtime
 * @param ports     that listeners may take
 * @param buffers   of the system
 * @param closing   what happens to ports and bytes of closed sockets
 * @param keepAlive of idle connections
 * @param setUp     how long setting up may take
 * @param sharing   how messages are spread over sockets
 * @param safety    what is done about connections that stand still, break, or corrupt
 * @param users     of this host whose sockets are let in
 */
record SocketSettings(int rank, PortRange ports, Buffers buffers, Closing closing, SocketKeepAlive keepAlive,
        SetUp setUp, Sharing sharing, Safety safety, UserFilter users) {
    /** SO_SNDBUF and SO_RCVBUF in bytes; the system's choice if not positive. */
    record Buffers(int sndbuf, int rcvbuf) {
    }

    /** SO_REUSEADDR, and SO_LINGER in seconds, negative for none. */
    record Closing(boolean isReusing, int lingerSeconds) {
    }

    /**
     * Retries of a refused connection, the wait before the first, how long a peer may take to say who it is, and then
     * to connect its other sockets.
     */
    record SetUp(int retryCount, long retrySleepNs, long handshakeTimeoutNs, long connectTimeoutNs) {
    }

    /** What was asked for: threads, sockets of each, the greatest message inline, the least chunk. */
    record Sharing(int threads, int socketsPerThread, int inlineBytes, int chunkBytes) {
    }

    /** How long data may stand still and a broken connection may take to come back, 0 for ever and not; checksums. */
    record Safety(long timeoutNs, long resumeNs, boolean isChecked) {
        int flags() {
            return (isChecked ? SocketHandle.CHECKED : 0) | (resumeNs > 0 ? SocketHandle.RESUMABLE : 0);
        }
    }

    static SocketSettings of(ProxyConfig config, int rank) {
        PortRange ports = PortRange.parse(SocketOptions.PORTS, config.get(SocketOptions.PORTS), "31000-31999");
        return new SocketSettings(rank, ports,
                new Buffers(config.get(SocketOptions.SNDBUF).intValue(), config.get(SocketOptions.RCVBUF).intValue()),
                new Closing(ports.isFixed() || config.get(SocketOptions.REUSEADDR) == 1,
                        config.get(SocketOptions.LINGER)),
                SocketKeepAlive.of(config),
                new SetUp(config.get(SocketOptions.RETRY_COUNT), config.get(SocketOptions.RETRY_SLEEP).toNanos(),
                        config.get(SocketOptions.HANDSHAKE_TIMEOUT).toNanos(),
                        config.get(CoreOptions.CONNECT_TIMEOUT).toNanos()),
                new Sharing(config.get(SocketOptions.THREADS), config.get(SocketOptions.SOCKETS_PER_THREAD),
                        config.get(SocketOptions.INLINE_BYTES).intValue(),
                        config.get(SocketOptions.CHUNK_BYTES).intValue()),
                new Safety(config.get(SocketOptions.TIMEOUT).toNanos(), config.get(SocketOptions.RESUME).toNanos(),
                        config.get(SocketOptions.CHECKSUM) == 1),
                UserFilter.of(config));
    }

    void applyTo(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (buffers.sndbuf > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, buffers.sndbuf);
        }
        if (buffers.rcvbuf > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, buffers.rcvbuf);
        }
        if (closing.lingerSeconds >= 0) {
            channel.setOption(StandardSocketOptions.SO_LINGER, closing.lingerSeconds);
        }
        keepAlive.applyTo(channel);
    }

    /** The receive buffer has to be set before the handshake of TCP, which agrees on the greatest window. */
    void applyTo(ServerSocketChannel server) throws IOException {
        server.configureBlocking(false);
        server.setOption(StandardSocketOptions.SO_REUSEADDR, closing.isReusing);
        if (buffers.rcvbuf > 0) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, buffers.rcvbuf);
        }
    }
}
