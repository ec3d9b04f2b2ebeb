/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** Memory by descriptor; the receiver reads the slots of the sender. */
class P2pDescriptorConformanceTest extends P2pConformance {
    @Override
    Map<String, String> ways() {
        return Map.of("p2p.way", "vmm", "p2p.read.enable", "1");
    }
}
