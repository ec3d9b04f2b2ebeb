/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** Ranks of one process that use each other's memory as it is. */
class P2pDirectConformanceTest extends P2pConformance {
    @Override
    Map<String, String> ways() {
        return Map.of();
    }
}
