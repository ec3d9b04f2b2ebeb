/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** How both sides set up their sockets. */
public final class WireSockets {
    private static final int IDLE_SECONDS = 10;
    private static final int INTERVAL_SECONDS = 5;
    private static final int COUNT = 6;

    private WireSockets() {
    }

    /**
     * Sets what a connection needs: it does not block, small frames leave at once, and a host that died while nothing
     * was sent to it is found within a minute.
     *
     * @param channel of a connection, or to be connected
     * @throws IOException if the system does not allow it
     */
    public static void configure(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (channel.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            channel.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_SECONDS);
            channel.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, COUNT);
        }
    }
}
