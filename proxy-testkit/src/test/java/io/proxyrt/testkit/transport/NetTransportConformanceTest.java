/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** The NET transport over sockets, dedicated connections. */
class NetTransportConformanceTest extends TransportConformance {
    @Override
    protected String transport() {
        return "NET";
    }

    @Override
    protected int transportId() {
        return 2;
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("net.socket.ifname", "lo");
    }

    @Override
    protected long largest() {
        return 20_000_001;
    }
}
