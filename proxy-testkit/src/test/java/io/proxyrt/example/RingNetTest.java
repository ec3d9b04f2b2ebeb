/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.testkit.net.NetPluginConformance;
import io.proxyrt.transport.net.spi.NetPlugin;

/** The example of docs/transports.md does what every network must do. */
class RingNetTest extends NetPluginConformance {
    @Override
    protected NetPlugin open(int rank) {
        return new RingNet(rank);
    }

    @Override
    protected boolean isHugeTested() {
        return false;
    }
}
