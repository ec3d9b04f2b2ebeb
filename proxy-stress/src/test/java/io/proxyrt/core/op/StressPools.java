/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.FullPolicy;
import io.proxyrt.core.OpsPoolKind;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/**
 * Makes the many pools that a stress test wears out, each in its own native memory: a part of a slab, which is freed
 * with the last pool in it. A mapped file for each would take longer than the test.
 */
final class StressPools {
    private static final int PER_SLAB = 256;
    private static final long ALIGNMENT = 128;
    private static final Platform PLATFORM = Platform.find();

    private final ProxyConfig config;
    private final long bytes;
    private MemorySegment slab;
    private long used;

    StressPools(OpsPoolKind kind, int lanes, int capacity) {
        this.config = ProxyConfig.builder().properties(Map.of()).environment(Map.of())
                .set(CoreOptions.OPS_POOL, kind).set(CoreOptions.LANES, lanes)
                .set(CoreOptions.LANE_CAPACITY, capacity).set(CoreOptions.FULL_POLICY, FullPolicy.CALLBACK).build();
        this.bytes = (OpsPool.bytes(config) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    OpsPool next() {
        return next(PLATFORM);
    }

    OpsPool next(Platform platform) {
        return OpsPool.create(memory(), () -> { }, 0, config, platform);
    }

    private synchronized MemorySegment memory() {
        if (slab == null || used == slab.byteSize()) {
            slab = Arena.ofAuto().allocate(PER_SLAB * bytes, ALIGNMENT);
            used = 0;
        }
        used += bytes;
        return slab.asSlice(used - bytes, bytes);
    }
}
