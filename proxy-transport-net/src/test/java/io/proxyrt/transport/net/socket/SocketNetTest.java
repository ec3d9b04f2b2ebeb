/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.NetPluginConformance;
import io.proxyrt.transport.net.spi.NetPlugin;

/** The socket network over loopback. */
class SocketNetTest extends NetPluginConformance {
    @Override
    protected NetPlugin open() {
        return Loopback.net();
    }
}
