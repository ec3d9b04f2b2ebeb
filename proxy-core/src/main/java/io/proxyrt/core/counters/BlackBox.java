/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * What is left of a runtime when its process is gone: the last events of each thread, what the progress agent works on
 * and what connections have carried, in the counters file. Each part is written by one thread.
 */
public final class BlackBox {
    static final int CALLERS_FROM = 3;

    private final MemorySegment memory;
    private final int events;
    private final EventRing[] rings;
    private final ActiveOps activeOps;
    private final Traffic traffic;

    /** In zeroed memory; without any, it forgets all. */
    BlackBox(MemorySegment memory, int events) {
        boolean isReal = memory.byteSize() > 0;
        this.memory = memory;
        this.events = events;
        this.rings = new EventRing[isReal ? BlackBoxDescriptor.RINGS : 0];
        this.activeOps = new ActiveOps(memory, isReal ? BlackBoxDescriptor.ROWS : 0,
                isReal ? BlackBoxDescriptor.WAITS : 0);
        long trafficOffset = BlackBoxDescriptor.trafficOffset(BlackBoxDescriptor.ROWS, BlackBoxDescriptor.WAITS,
                BlackBoxDescriptor.RINGS, events);
        this.traffic = isReal ? new Traffic(memory.asSlice(trafficOffset), BlackBoxDescriptor.TRAFFIC_ROWS)
                : new Traffic(memory, 0);
        if (isReal) {
            writeHeader();
            take(0, "progress");
            take(1, "service");
            take(2, "failures");
        }
    }

    static long bytes(int events) {
        return BlackBoxDescriptor.bytes(BlackBoxDescriptor.ROWS, BlackBoxDescriptor.WAITS, BlackBoxDescriptor.RINGS,
                events, BlackBoxDescriptor.TRAFFIC_ROWS);
    }

    private void writeHeader() {
        memory.set(ValueLayout.JAVA_LONG, BlackBoxDescriptor.ANCHOR_NS_OFFSET, System.nanoTime());
        memory.set(ValueLayout.JAVA_LONG, BlackBoxDescriptor.ANCHOR_MS_OFFSET, System.currentTimeMillis());
        memory.set(ValueLayout.JAVA_INT, BlackBoxDescriptor.ROWS_OFFSET, BlackBoxDescriptor.ROWS);
        memory.set(ValueLayout.JAVA_INT, BlackBoxDescriptor.WAITS_OFFSET, BlackBoxDescriptor.WAITS);
        memory.set(ValueLayout.JAVA_INT, BlackBoxDescriptor.RINGS_OFFSET, BlackBoxDescriptor.RINGS);
        memory.set(ValueLayout.JAVA_INT, BlackBoxDescriptor.EVENTS_OFFSET, events);
        memory.set(ValueLayout.JAVA_INT, BlackBoxDescriptor.TRAFFIC_OFFSET, BlackBoxDescriptor.TRAFFIC_ROWS);
    }

    /**
     * The events of the progress thread.
     *
     * @return its own
     */
    public EventRing progress() {
        return ring(0);
    }

    /**
     * The events of the service thread.
     *
     * @return its own
     */
    public EventRing service() {
        return ring(1);
    }

    /** The failures of any thread; under a lock of theirs. */
    EventRing failures() {
        return ring(2);
    }

    /**
     * Gives a thread that calls the runtime a ring for its events; for good.
     *
     * @param name for people, of which 104 bytes are kept
     * @return one that forgets all if there is none left
     */
    public synchronized EventRing caller(String name) {
        for (int i = CALLERS_FROM; i < rings.length; i++) {
            if (rings[i] == null) {
                return take(i, name);
            }
        }
        return EventRing.FORGETFUL;
    }

    /**
     * What the progress agent works on.
     *
     * @return to be told by the progress thread
     */
    public ActiveOps activeOps() {
        return activeOps;
    }

    /**
     * What connections have carried.
     *
     * @return to be told by the progress thread
     */
    public Traffic traffic() {
        return traffic;
    }

    private EventRing ring(int index) {
        return index < rings.length ? rings[index] : EventRing.FORGETFUL;
    }

    private EventRing take(int index, String name) {
        MemorySegment ring = memory.asSlice(BlackBoxDescriptor.ringsOffset(BlackBoxDescriptor.ROWS,
                BlackBoxDescriptor.WAITS) + index * BlackBoxDescriptor.ringBytes(events),
                BlackBoxDescriptor.ringBytes(events));
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(bytes, 0, ring, ValueLayout.JAVA_BYTE, BlackBoxDescriptor.NAME_OFFSET,
                Math.min(bytes.length, BlackBoxDescriptor.NAME_BYTES));
        rings[index] = new EventRing(ring, events);
        return rings[index];
    }
}
