/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.NetPluginConformance;
import io.proxyrt.transport.net.spi.NetPlugin;

/** The socket network with small system buffers, so that most reads and writes are partial. */
class SocketNetSmallBuffersTest extends NetPluginConformance {
    @Override
    protected NetPlugin open() {
        return Loopback.net("net.socket.sndbuf", "16K", "net.socket.rcvbuf", "16K");
    }
}
