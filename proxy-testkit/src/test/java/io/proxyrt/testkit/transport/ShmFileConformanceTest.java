/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** The SHM transport with segments that are files. */
class ShmFileConformanceTest extends TransportConformance {
    @Override
    protected String transport() {
        return "SHM";
    }

    @Override
    protected int transportId() {
        return 1;
    }

    @Override
    protected Map<String, String> options() {
        return Map.of("shm.segment", "file");
    }

    @Override
    protected long largest() {
        return 20_000_001;
    }
}
