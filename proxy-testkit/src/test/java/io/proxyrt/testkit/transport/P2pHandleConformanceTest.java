/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** Memory by the driver's handle. */
class P2pHandleConformanceTest extends P2pConformance {
    @Override
    Map<String, String> ways() {
        return Map.of("p2p.way", "ipc");
    }
}
