/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.NetPluginConformance;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.net.InetAddress;
import java.util.List;

/** The socket network over loopback. */
class SocketNetTest extends NetPluginConformance {
    static final SocketSettings SETTINGS = new SocketSettings(3, -1, -1, 34, 100_000_000, 5_000_000_000L);

    @Override
    protected NetPlugin open() {
        return loopback(SETTINGS);
    }

    static SocketNet loopback(SocketSettings settings) {
        return new SocketNet(settings, new InterfaceChoice(
                List.of(new InterfaceChoice.Device("lo", InetAddress.getLoopbackAddress())), List.of("lo: for tests")));
    }
}
