/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import java.util.Map;

/** The SHM transport in copy-engine mode, by real streams, with buffers in the segment of the sender. */
class ShmCopyEngineConformanceTest extends TransportConformance {
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
        return Map.of("shm.use.memcpy", "1", "shm.memcpy.mode", "3", "shm.cpu.copy.bytes", "4K", "shm.locality", "1");
    }

    @Override
    protected long largest() {
        return 20_000_001;
    }
}
