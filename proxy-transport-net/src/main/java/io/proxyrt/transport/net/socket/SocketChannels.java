/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.auth.PeerText;
import java.io.Closeable;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import org.slf4j.Logger;

/** What all sockets need. */
final class SocketChannels {
    static final Logger LOG = Subsystem.NET.logger();

    private SocketChannels() {
    }

    /** An IPv4 socket for an IPv4 address: in one of both families each call takes longer. */
    static ProtocolFamily family(InetAddress address) {
        return address instanceof Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6;
    }

    static String peer(int rank, SocketAddress address) {
        return "rank " + rank + " at " + text(address);
    }

    static String text(SocketAddress address) {
        return PeerText.address(address);
    }

    static void close(Closeable channel) {
        if (channel == null) {
            return;
        }
        try {
            channel.close();
        } catch (IOException e) {
            LOG.warn("a socket did not close cleanly: {}", e.toString());
        }
    }
}
