/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProcessIdentity;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The words of one lane, as {@link OpsPoolDescriptor} lays them out. */
final class OpsLane {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int index;
    private final int capacity;
    private final long slots;

    OpsLane(MemorySegment pool, int index, int capacity) {
        this.memory = pool.asSlice(OpsPoolDescriptor.laneOffset(index, capacity),
                OpsPoolDescriptor.laneBytes(capacity));
        this.index = index;
        this.capacity = capacity;
        this.slots = OpsPoolDescriptor.slotsOffset(capacity);
    }

    static OpsLane[] all(MemorySegment pool, int lanes, int capacity) {
        OpsLane[] all = new OpsLane[lanes];
        for (int i = 0; i < lanes; i++) {
            all[i] = new OpsLane(pool, i, capacity);
        }
        return all;
    }

    MemorySegment memory() {
        return memory;
    }

    int index() {
        return index;
    }

    int capacity() {
        return capacity;
    }

    /** Where the slot of that number is, modulo capacity. */
    long slot(long number) {
        return slots + (number & capacity - 1) * ProxyOpDescriptor.BYTES;
    }

    /** How many of {@code ops} slots, from number {@code number} on, are adjacent in memory. */
    int run(long number, long ops) {
        return (int) Math.min(ops, capacity - (number & capacity - 1));
    }

    /**
     * Publishes the ops at positions {@code from} to {@code upTo}: release. What the consumer waits for is in the first
     * op's own cache line, so that the op comes with it.
     */
    void publish(long from, long upTo) {
        LONG.setRelease(memory, slot(from) + ProxyOpDescriptor.PUBLISHED, upTo);
        posted(upTo);
    }

    /**
     * Up to which position ops are published from {@code start} on, where a batch begins or nothing is yet: acquire;
     * pairs with {@link #publish}. Ends after so many ops, or with the batch in which they end.
     */
    long publishedAfter(long start, int ops) {
        long position = start;
        while (position - start < ops) {
            long end = published(position);
            if (end == position + 1) {
                // Not from the word: so the processor loads the next slot's before it has this one.
                position++;
            } else if (end > position) {
                position = end;
            } else {
                break;
            }
        }
        return position;
    }

    /** Where the batch ends that begins at a position; not above that if there is none. */
    private long published(long position) {
        return (long) LONG.getAcquire(memory, slot(position) + ProxyOpDescriptor.PUBLISHED);
    }

    /**
     * The ops below are complete. For the next poster and audits: exact also if the poster died between its two stores.
     */
    long posted() {
        long posted;
        long published;
        do {
            posted = (long) LONG.getAcquire(memory, OpsPoolDescriptor.POSTED_OFFSET);
            published = published(posted);
            // The slot is written again only after the word has changed.
        } while (posted != (long) LONG.getAcquire(memory, OpsPoolDescriptor.POSTED_OFFSET));
        return Math.max(posted, published);
    }

    void posted(long position) {
        LONG.setRelease(memory, OpsPoolDescriptor.POSTED_OFFSET, position);
    }

    /** Acquire; for audits: the consumer knows it without looking. */
    long fetched() {
        return (long) LONG.getAcquire(memory, OpsPoolDescriptor.FETCHED_OFFSET);
    }

    void fetched(long position) {
        LONG.setRelease(memory, OpsPoolDescriptor.FETCHED_OFFSET, position);
    }

    /** Acquire; pairs with {@link #completed(long)}: the consumer's reads of those slots happened before. */
    long completed() {
        return (long) LONG.getAcquire(memory, OpsPoolDescriptor.COMPLETED_OFFSET);
    }

    void completed(long count) {
        LONG.setRelease(memory, OpsPoolDescriptor.COMPLETED_OFFSET, count);
    }

    /** Takes the lane for a process; mute if it cannot wake the consumer's. */
    boolean claim(ProcessIdentity owner, boolean isMute) {
        if (!LONG.compareAndSet(memory, OpsPoolDescriptor.OWNER_OFFSET, 0L, owner.pid())) {
            return false;
        }
        memory.set(ValueLayout.JAVA_INT, OpsPoolDescriptor.MUTE_OFFSET, isMute ? 1 : 0);
        memory.set(ValueLayout.JAVA_LONG, OpsPoolDescriptor.OWNER_OFFSET + Long.BYTES, owner.start());
        LONG.setRelease(memory, OpsPoolDescriptor.OWNER_OFFSET + 2 * Long.BYTES, owner.namespace());
        return true;
    }

    void release() {
        LONG.setRelease(memory, OpsPoolDescriptor.OWNER_OFFSET + 2 * Long.BYTES, 0L);
        memory.set(ValueLayout.JAVA_LONG, OpsPoolDescriptor.OWNER_OFFSET + Long.BYTES, 0L);
        LONG.setRelease(memory, OpsPoolDescriptor.OWNER_OFFSET, 0L);
    }

    /** The process that posts here; empty while the lane is free, or being claimed. */
    Optional<ProcessIdentity> owner() {
        long namespace = (long) LONG.getAcquire(memory, OpsPoolDescriptor.OWNER_OFFSET + 2 * Long.BYTES);
        long pid = (long) LONG.getAcquire(memory, OpsPoolDescriptor.OWNER_OFFSET);
        return pid == 0 || namespace == 0 ? Optional.empty()
                : Optional.of(OpsPoolDescriptor.process(memory, OpsPoolDescriptor.OWNER_OFFSET));
    }

    /** Whether another process posts here. */
    boolean isForeign() {
        long pid = (long) LONG.getAcquire(memory, OpsPoolDescriptor.OWNER_OFFSET);
        return pid != 0 && pid != ProcessIdentity.current().pid();
    }

    /** Whether the poster cannot wake the consumer. */
    boolean isMute() {
        return memory.get(ValueLayout.JAVA_INT, OpsPoolDescriptor.MUTE_OFFSET) != 0;
    }

    /** What is in flight, oldest first. A snapshot: what ends meanwhile may be missing or not. */
    List<OpInFlight> inFlight() {
        long now = System.nanoTime();
        List<OpInFlight> ops = new ArrayList<>();
        for (int i = 0; i < capacity; i++) {
            long entry = OpsPoolDescriptor.IN_FLIGHT_OFFSET + i * OpsPoolDescriptor.IN_FLIGHT_BYTES;
            long since = (long) LONG.getAcquire(memory, entry);
            OpInFlight op = new OpInFlight(index,
                    memory.get(ValueLayout.JAVA_LONG, entry + OpsPoolDescriptor.OP_COUNT_OFFSET),
                    memory.get(ValueLayout.JAVA_LONG, entry + OpsPoolDescriptor.CONNECTION_OFFSET),
                    memory.get(ValueLayout.JAVA_INT, entry + OpsPoolDescriptor.PEER_OFFSET),
                    memory.get(ValueLayout.JAVA_INT, entry + OpsPoolDescriptor.CHANNEL_OFFSET),
                    Duration.ofNanos(now - since));
            VarHandle.acquireFence();
            if (since != 0 && (long) LONG.getAcquire(memory, entry) == since) {
                ops.add(op);
            }
        }
        ops.sort(Comparator.comparing(OpInFlight::age).reversed());
        return ops;
    }

    @Override
    public String toString() {
        return "lane " + index + " (posted " + posted() + ", fetched " + fetched() + ", completed " + completed()
                + ", capacity " + capacity + ")";
    }
}
