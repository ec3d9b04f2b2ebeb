/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.transport.net.NetPluginConformance;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Nested;

/** What every network must do, with several sockets, helper threads and IPv6. */
class SocketNetVariantsTest {
    /** Two data sockets that the caller drives, which even small messages use. */
    @Nested
    class TwoSockets extends NetPluginConformance {
        @Override
        protected NetPlugin open() {
            return Loopback.net("net.socket.threads", "0", "net.socket.sockets.per.thread", "2",
                    "net.socket.inline", "128", "net.socket.chunk", "1000");
        }
    }

    /** More sockets than most messages have chunks, with small system buffers. */
    @Nested
    class ManySockets extends NetPluginConformance {
        @Override
        protected NetPlugin open() {
            return Loopback.net("net.socket.threads", "0", "net.socket.sockets.per.thread", "7",
                    "net.socket.inline", "0", "net.socket.sndbuf", "16K", "net.socket.rcvbuf", "16K");
        }
    }

    /** Two helper threads of two sockets each. */
    @Nested
    class HelperThreads extends NetPluginConformance {
        @Override
        protected NetPlugin open() {
            return Loopback.net("net.socket.threads", "2", "net.socket.sockets.per.thread", "2",
                    "net.socket.inline", "128", "net.socket.chunk", "1000");
        }
    }

    @Nested
    class Ipv6 extends NetPluginConformance {
        @Override
        protected NetPlugin open() {
            return ipv6("net.socket.threads", "0", "net.socket.sockets.per.thread", "2");
        }
    }

    private static NetPlugin ipv6(String... options) {
        try {
            InetAddress loopback = InetAddress.getByName("::1");
            try (ServerSocketChannel probe = ServerSocketChannel.open()) {
                probe.bind(new InetSocketAddress(loopback, 0));
            } catch (IOException e) {
                assumeTrue(false, "no IPv6 here: " + e);
            }
            return Loopback.net(loopback, options);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
