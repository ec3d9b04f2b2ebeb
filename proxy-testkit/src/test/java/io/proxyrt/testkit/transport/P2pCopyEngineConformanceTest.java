/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** The sender's proxy copies, to memory that came by descriptor. */
class P2pCopyEngineConformanceTest extends P2pConformance {
    @Override
    Map<String, String> ways() {
        return Map.of("p2p.direct.disable", "1", "p2p.use.memcpy", "1", "p2p.cpu.copy.bytes", "4K",
                "p2p.memcpy.buffer.bytes", "1M");
    }
}
