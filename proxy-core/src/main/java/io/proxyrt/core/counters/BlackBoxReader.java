/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import io.proxyrt.core.Direction;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads a black box that is written meanwhile, torn or nonsense: what it gives is within bounds, and printable. */
final class BlackBoxReader {
    private static final int ATTEMPTS = 100;

    private final Bytes file;
    private final long base;
    private final long anchorNs;
    private final long anchorMs;
    private final int rows;
    private final int waits;
    private final int rings;
    private final int events;
    private final int traffic;

    /** The bytes of a file, which throws if they are not there. */
    @FunctionalInterface
    interface Bytes {
        /** A copy. */
        MemorySegment read(long offset, int bytes);
    }

    private BlackBoxReader(Bytes file, long base) {
        this.file = file;
        this.base = base;
        MemorySegment header = file.read(base, (int) BlackBoxDescriptor.HEADER_BYTES);
        this.anchorNs = longAt(header, BlackBoxDescriptor.ANCHOR_NS_OFFSET);
        this.anchorMs = longAt(header, BlackBoxDescriptor.ANCHOR_MS_OFFSET);
        this.rows = intAt(header, BlackBoxDescriptor.ROWS_OFFSET);
        this.waits = intAt(header, BlackBoxDescriptor.WAITS_OFFSET);
        this.rings = intAt(header, BlackBoxDescriptor.RINGS_OFFSET);
        this.events = intAt(header, BlackBoxDescriptor.EVENTS_OFFSET);
        this.traffic = intAt(header, BlackBoxDescriptor.TRAFFIC_OFFSET);
    }

    /** Empty if what is there claims to hold more than the file does. */
    static Optional<BlackBoxReader> of(Bytes file, long base, long room) {
        if (room < BlackBoxDescriptor.HEADER_BYTES) {
            return Optional.empty();
        }
        BlackBoxReader reader = new BlackBoxReader(file, base);
        return reader.isSane(room) ? Optional.of(reader) : Optional.empty();
    }

    private boolean isSane(long room) {
        return isCount(rows) && isCount(waits) && isCount(rings) && isCount(events) && isCount(traffic)
                && BlackBoxDescriptor.bytes(rows, waits, rings, events, traffic) <= room;
    }

    private static boolean isCount(int number) {
        return number >= 0 && number <= BlackBoxDescriptor.MAX;
    }

    /** Empty if there is none yet, or the writer is too fast. */
    Optional<ActiveSnapshot> snapshot() {
        for (int i = 0; i < ATTEMPTS; i++) {
            long before = snapshotNumber();
            if (before <= 0) {
                return Optional.empty();
            }
            VarHandle.loadLoadFence();
            long bytes = BlackBoxDescriptor.snapshotBytes(rows, waits);
            MemorySegment copy = file.read(base + BlackBoxDescriptor.HEADER_BYTES + (before & 1) * bytes, (int) bytes);
            VarHandle.loadLoadFence();
            if (before == snapshotNumber()) {
                return Optional.of(snapshot(copy));
            }
        }
        return Optional.empty();
    }

    private long snapshotNumber() {
        return longAt(file.read(base + BlackBoxDescriptor.SNAPSHOT_OFFSET, Long.BYTES), 0);
    }

    private ActiveSnapshot snapshot(MemorySegment copy) {
        long publishedNs = longAt(copy, BlackBoxDescriptor.PUBLISHED_OFFSET);
        int nRows = Math.clamp(intAt(copy, BlackBoxDescriptor.SNAPSHOT_ROWS_OFFSET), 0, rows);
        int nWaits = Math.clamp(intAt(copy, BlackBoxDescriptor.SNAPSHOT_WAITS_OFFSET), 0, waits);
        int unlisted = Math.max(0, intAt(copy, BlackBoxDescriptor.SNAPSHOT_OPS_OFFSET) - nRows);
        List<ActiveOp> ops = new ArrayList<>();
        for (int i = 0; i < nRows; i++) {
            ops.add(op(copy.asSlice(BlackBoxDescriptor.SNAPSHOT_HEADER_BYTES + i * BlackBoxDescriptor.ROW_BYTES,
                    BlackBoxDescriptor.ROW_BYTES), publishedNs));
        }
        List<ActiveSnapshot.Wait> others = new ArrayList<>();
        long from = BlackBoxDescriptor.SNAPSHOT_HEADER_BYTES + rows * BlackBoxDescriptor.ROW_BYTES;
        for (int i = 0; i < nWaits; i++) {
            MemorySegment wait = copy.asSlice(from + i * BlackBoxDescriptor.WAIT_BYTES, BlackBoxDescriptor.WAIT_BYTES);
            others.add(new ActiveSnapshot.Wait(span(longAt(wait, 0), publishedNs),
                    CountersReader.text(wait, Long.BYTES, BlackBoxDescriptor.WAIT_TEXT_BYTES)));
        }
        return new ActiveSnapshot(time(publishedNs), ops, unlisted, others);
    }

    private static ActiveOp op(MemorySegment row, long nowNs) {
        return new ActiveOp(longAt(row, 0), longAt(row, ActiveOps.CONNECTION),
                CountersReader.text(row, ActiveOps.TRANSPORT, ActiveOps.TRANSPORT_BYTES),
                direction(byteAt(row, ActiveOps.DIRECTION)), intAt(row, ActiveOps.PEER),
                shortAt(row, ActiveOps.CHANNEL), byteAt(row, ActiveOps.STATE), intAt(row, ActiveOps.GROUP),
                intAt(row, ActiveOps.DEPTH), byteAt(row, ActiveOps.COLL), byteAt(row, ActiveOps.PROTOCOL),
                byteAt(row, ActiveOps.DTYPE), byteAt(row, ActiveOps.RED_OP), longAt(row, ActiveOps.NBYTES),
                intAt(row, ActiveOps.NSTEPS), longAt(row, ActiveOps.BASE), intAt(row, ActiveOps.POSTED),
                intAt(row, ActiveOps.RECEIVED), intAt(row, ActiveOps.TRANSMITTED), intAt(row, ActiveOps.DONE),
                span(longAt(row, ActiveOps.SINCE), nowNs), span(longAt(row, ActiveOps.MOVED), nowNs));
    }

    /** By thread, each from the oldest to the youngest. */
    List<Event> events() {
        List<Event> all = new ArrayList<>();
        for (int i = 0; i < rings; i++) {
            addEvents(all, base + BlackBoxDescriptor.ringsOffset(rows, waits)
                    + i * BlackBoxDescriptor.ringBytes(events));
        }
        return all;
    }

    private void addEvents(List<Event> all, long offset) {
        MemorySegment ring = file.read(offset, (int) BlackBoxDescriptor.ringBytes(events));
        VarHandle.loadLoadFence();
        // What was written before the copy began, and not over since: the writer may be at one more.
        long begin = longAt(file.read(offset, Long.BYTES), 0) - events + 1;
        long end = longAt(ring, 0);
        String name = CountersReader.text(ring, BlackBoxDescriptor.NAME_OFFSET, BlackBoxDescriptor.NAME_BYTES);
        int before = all.size();
        for (long number = Math.max(Math.max(0, begin), end - events); number < end; number++) {
            Event event = event(name, number, ring.asSlice(BlackBoxDescriptor.RING_HEADER_BYTES
                    + number % events * BlackBoxDescriptor.EVENT_BYTES, BlackBoxDescriptor.EVENT_BYTES));
            if (event.type() == EventType.CALLED) {
                addCalls(all, event);
            } else if (event.type() != EventType.NONE) {
                all.add(event);
            }
        }
        // Sixteen times as many calls may have found room: of a thousand ranks that would be too many to hold.
        int found = all.size() - before;
        all.subList(before, before + Math.max(0, found - events)).clear();
    }

    private static void addCalls(List<Event> all, Event first) {
        int repeats = Math.min(first.channel(), EventRing.MAX_REPEATS);
        for (int i = 0; i <= repeats; i++) {
            all.add(new Event(first.thread(), first.number(), first.time(), first.type(), first.detail(),
                    first.opCount() + i, first.connection(), 0, first.peer(), first.value()));
        }
    }

    private Event event(String thread, long number, MemorySegment event) {
        return new Event(thread, number, time(longAt(event, 0)), EventType.of(byteAt(event, EventRing.TYPE)),
                byteAt(event, EventRing.DETAIL), longAt(event, EventRing.OP_COUNT),
                longAt(event, EventRing.CONNECTION), shortAt(event, EventRing.CHANNEL), intAt(event, EventRing.PEER),
                longAt(event, EventRing.VALUE));
    }

    List<CallerView> callers() {
        List<CallerView> all = new ArrayList<>();
        for (int i = BlackBox.CALLERS_FROM; i < rings; i++) {
            long offset = base + BlackBoxDescriptor.ringsOffset(rows, waits)
                    + i * BlackBoxDescriptor.ringBytes(events);
            MemorySegment header = file.read(offset, (int) BlackBoxDescriptor.RING_HEADER_BYTES);
            String name = CountersReader.text(header, BlackBoxDescriptor.NAME_OFFSET, BlackBoxDescriptor.NAME_BYTES);
            if (!name.isEmpty()) {
                List<Event> own = new ArrayList<>();
                addEvents(own, offset);
                Optional<Event> last = own.reversed().stream().filter(event -> event.opCount() > 0).findFirst();
                long finished = longAt(header, BlackBoxDescriptor.FINISHED_OFFSET);
                boolean isIdle = own.isEmpty() || last.filter(event -> event.opCount() > finished).isEmpty()
                        && own.getLast().number() < longAt(header, BlackBoxDescriptor.ENDED_OFFSET);
                all.add(new CallerView(name, last, finished, isIdle));
            }
        }
        return all;
    }

    List<ConnectionTraffic> traffic() {
        List<ConnectionTraffic> all = new ArrayList<>();
        MemorySegment table = file.read(base + BlackBoxDescriptor.trafficOffset(rows, waits, rings, events),
                traffic * (int) Traffic.BYTES);
        for (int i = 0; i < traffic; i++) {
            MemorySegment row = table.asSlice(i * Traffic.BYTES, Traffic.BYTES);
            long connection = longAt(row, 0);
            if (connection != 0) {
                long endedNs = longAt(row, Traffic.ENDED);
                all.add(new ConnectionTraffic(
                        CountersReader.text(row, Traffic.TRANSPORT, ActiveOps.TRANSPORT_BYTES), connection,
                        intAt(row, Traffic.PEER), direction(intAt(row, Traffic.DIRECTION)),
                        longAt(row, Traffic.OPS), longAt(row, Traffic.AMOUNT), longAt(row, Traffic.STEPS),
                        endedNs == 0 ? null : time(endedNs)));
            }
        }
        return all;
    }

    /** Any number is a time: what is nonsense is one long ago, or far from now. */
    private Instant time(long ns) {
        return Instant.ofEpochMilli(Math.clamp(anchorMs, 0, Integer.MAX_VALUE * 1000L)).plusNanos(ns - anchorNs);
    }

    /** When the clock of all that is told here was 0. */
    Instant clockOrigin() {
        return time(0);
    }

    private static Duration span(long fromNs, long toNs) {
        return Duration.ofNanos(Math.max(0, toNs - fromNs));
    }

    private static Direction direction(int code) {
        return code == Direction.RECV.ordinal() ? Direction.RECV : Direction.SEND;
    }

    private static long longAt(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
    }

    private static int intAt(MemorySegment memory, long offset) {
        return memory.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
    }

    private static int shortAt(MemorySegment memory, long offset) {
        return Short.toUnsignedInt(memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, offset));
    }

    private static int byteAt(MemorySegment memory, long offset) {
        return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, offset));
    }
}
