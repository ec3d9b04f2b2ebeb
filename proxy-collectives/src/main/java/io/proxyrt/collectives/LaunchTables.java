/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.collectives.kernel.CollectiveWork;
import io.proxyrt.collectives.kernel.RingOrder;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * What kernels of a GPU are told beside their parameters, in memory of the host that the device reads: a table for each
 * launch that can be under way.
 */
final class LaunchTables implements AutoCloseable {
    private static final long PART_BYTES = 2 * Long.BYTES;

    private final int nRanks;
    private final int capacity;
    private final long tableBytes;
    private final Device device;
    private final DeviceMemory memory;
    /** Of what was captured, which may be launched again at any time. */
    private final List<DeviceMemory> kept = new ArrayList<>();
    private boolean isKeeping;
    private int table;
    private DeviceMemory current;
    private long position;

    /** For so many launches at a time. All memory is taken now: drivers may wait for running kernels to allocate. */
    LaunchTables(Device device, int nRanks, int capacity) {
        this.nRanks = nRanks;
        this.capacity = capacity;
        this.tableBytes = Math.max(nRanks * PART_BYTES, MessageTable.LIST_BYTES);
        this.device = device;
        this.memory = device.allocateHost(capacity * tableBytes);
    }

    /** Whether tables that are begun from here on stay what they are. */
    void keep(boolean isWanted) {
        isKeeping = isWanted;
    }

    /** Begins the table of the next launch. Returns the device's address of it. */
    long begin() {
        if (isKeeping) {
            current = device.allocateHost(tableBytes);
            kept.add(current);
            position = 0;
        } else {
            table = (table + 1) % capacity;
            current = memory;
            position = table * tableBytes;
        }
        return current.address() + position;
    }

    /** Adds a word. */
    void add(long word) {
        assert position < (isKeeping ? tableBytes : (table + 1) * tableBytes) : position;
        current.segment().set(JAVA_LONG, position, word);
        position += Long.BYTES;
    }

    /** Tells bytes and offset of each place's part. Returns the table's address; 0 if there are none, or all alike. */
    long parts(CollectiveWork work, RingOrder order) {
        if (!work.isUneven() && (order.isByRank() || !work.hasParts())) {
            return 0;
        }
        long address = begin();
        for (int place = 0; place < nRanks; place++) {
            add(work.partBytes(order.rank(place)));
            add(work.partOffset(order.rank(place)));
        }
        return address;
    }

    /** No kernel may run. Idempotent. */
    @Override
    public void close() {
        kept.forEach(DeviceMemory::close);
        kept.clear();
        memory.close();
    }
}
