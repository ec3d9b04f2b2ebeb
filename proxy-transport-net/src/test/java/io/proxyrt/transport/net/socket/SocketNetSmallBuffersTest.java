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
        return SocketNetTest.loopback(new SocketSettings(3, 16 << 10, 16 << 10, 34, 100_000_000, 5_000_000_000L));
    }
}
