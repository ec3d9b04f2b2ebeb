/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;

/**
 * Tells kernels of a GPU the parts of ranks, where they are of different sizes: bytes and offset of each, in memory of
 * the host that the device reads. Each launch that can be under way has a table of its own.
 */
final class PartsOfLaunches implements AutoCloseable {
    private static final long PART_BYTES = 2 * Long.BYTES;

    private final Device device;
    private final int nRanks;
    private final int capacity;
    /** Null until parts differ for the first time. */
    private DeviceMemory tables;
    private int next;

    PartsOfLaunches(Device device, int nRanks, int capacity) {
        this.device = device;
        this.nRanks = nRanks;
        this.capacity = capacity;
    }

    /** The device's address of the table; 0 if all parts are alike. */
    long put(CollectiveWork work) {
        if (!work.isUneven()) {
            return 0;
        }
        if (tables == null) {
            tables = device.allocateHost(capacity * nRanks * PART_BYTES);
        }
        next = (next + 1) % capacity;
        long begin = next * nRanks * PART_BYTES;
        for (int rank = 0; rank < nRanks; rank++) {
            tables.segment().set(JAVA_LONG, begin + rank * PART_BYTES, work.partBytes(rank));
            tables.segment().set(JAVA_LONG, begin + rank * PART_BYTES + Long.BYTES, work.partOffset(rank));
        }
        return tables.address() + begin;
    }

    /** No kernel may run. Idempotent. */
    @Override
    public void close() {
        if (tables != null) {
            tables.close();
        }
    }
}
