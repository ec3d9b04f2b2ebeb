/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** The sender's proxy copies from device to device of one process. */
class P2pDirectCopyEngineConformanceTest extends P2pConformance {
    @Override
    Map<String, String> ways() {
        return Map.of("p2p.use.memcpy", "1", "p2p.cpu.copy.bytes", "4K", "p2p.memcpy.buffer.bytes", "256K");
    }
}
