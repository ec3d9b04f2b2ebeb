/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * One connection of a {@link ManualNet}: posted receives, each of a group of messages, and sent messages. A message
 * stays in the sender's memory until it is delivered, so a slot that is reused too early shows up as wrong data. Where
 * receives are grouped a send is taken only if the oldest receive that still lacks messages wants its tag, as
 * InfiniBand does it; else sends wait for their receives.
 */
final class ManualWire {
    static final long UNTRACKED = 1L << 40;
    private static final long FLUSH = 1L << 41;
    private static final int RING = 256;
    private static final int GROUP = 8;

    /** Receives posted; messages sent, delivered, and complete at the sender; flushes asked for and done. */
    int posted;
    int sent;
    int delivered;
    int completed;
    int flushes;
    int flushed;

    private final int maxRecvs;
    private final boolean isGrouping;
    private final MemorySegment[] sources = new MemorySegment[RING];
    private final long[] sourceOffsets = new long[RING];
    private final long[] sourceSizes = new long[RING];
    /** Where a message goes: receive · GROUP + place. */
    private final int[] targets = new int[RING];
    private final int[] members = new int[RING];
    private final int[] arrived = new int[RING];
    private final MemorySegment[] memories = new MemorySegment[RING * GROUP];
    private final long[] offsets = new long[RING * GROUP];
    private final long[] capacities = new long[RING * GROUP];
    private final int[] tags = new int[RING * GROUP];
    private final boolean[] isMatched = new boolean[RING * GROUP];
    private final long[] sizes = new long[RING * GROUP];
    /** What was delivered and not flushed yet, by target. */
    private final byte[][] unflushed = new byte[RING * GROUP][];
    private final Queue<int[]> flushing = new ArrayDeque<>();
    private int oldestUnmatched;

    ManualWire(int maxRecvs) {
        this.maxRecvs = maxRecvs;
        this.isGrouping = maxRecvs > 1;
    }

    long post(int n, NetMemory[] memory, long[] offset, long[] capacity, int[] tag) {
        if (posted - delivered >= RING / GROUP * 4) {
            return 0;
        }
        if (n < 1 || n > maxRecvs) {
            throw new AssertionError("an irecv of " + n + " messages, of " + maxRecvs + " at most");
        }
        int group = posted % RING;
        members[group] = n;
        arrived[group] = 0;
        for (int i = 0; i < n; i++) {
            int target = group * GROUP + i;
            memories[target] = memory[i].segment();
            offsets[target] = offset[i];
            capacities[target] = capacity[i];
            tags[target] = tag[i];
            isMatched[target] = false;
            sizes[target] = 0;
        }
        return ++posted;
    }

    long send(MemorySegment memory, long offset, long bytes, int tag) {
        int target = isGrouping ? match(tag) : sent % RING * GROUP;
        if (target < 0 || sent - completed >= RING / 2) {
            return 0;
        }
        isMatched[target] = isGrouping;
        int message = sent % RING;
        sources[message] = memory;
        sourceOffsets[message] = offset;
        sourceSizes[message] = bytes;
        targets[message] = target;
        return ++sent;
    }

    private int match(int tag) {
        while (oldestUnmatched < posted && isFull(oldestUnmatched % RING)) {
            oldestUnmatched++;
        }
        int group = oldestUnmatched % RING;
        for (int i = 0; oldestUnmatched < posted && i < members[group]; i++) {
            if (tags[group * GROUP + i] == tag && !isMatched[group * GROUP + i]) {
                return group * GROUP + i;
            }
        }
        return -1;
    }

    private boolean isFull(int group) {
        for (int i = 0; i < members[group]; i++) {
            if (!isMatched[group * GROUP + i]) {
                return false;
            }
        }
        return true;
    }

    /** Moves the oldest message under way to its receive; returns whether there were both. */
    boolean deliver(boolean isFlushing) {
        if (delivered == sent || !isGrouping && delivered == posted) {
            return false;
        }
        int message = delivered++ % RING;
        int target = targets[message];
        long bytes = sourceSizes[message];
        if (bytes > capacities[target]) {
            throw new AssertionError(bytes + " bytes do not fit into " + capacities[target]);
        }
        sizes[target] = bytes;
        arrived[target / GROUP]++;
        if (isFlushing && bytes > 0) {
            unflushed[target] = sources[message].asSlice(sourceOffsets[message], bytes)
                    .toArray(ValueLayout.JAVA_BYTE);
        } else {
            MemorySegment.copy(sources[message], sourceOffsets[message], memories[target], offsets[target], bytes);
        }
        return true;
    }

    boolean deliver() {
        return deliver(false);
    }

    /** Lets the oldest delivered message's send complete; returns whether there was one. */
    boolean complete() {
        if (completed == delivered) {
            return false;
        }
        completed++;
        return true;
    }

    /** Where a message was sent from, in its memory. */
    long sourceOffset(int message) {
        return sourceOffsets[message % RING];
    }

    boolean isSent(long request) {
        return request <= completed;
    }

    boolean isReceived(long request, long[] sizes, boolean isFlushing) {
        if ((request & FLUSH) != 0) {
            return (request & ~FLUSH) <= flushed;
        }
        boolean isUntracked = (request & UNTRACKED) != 0;
        int group = (int) ((request & ~UNTRACKED) - 1) % RING;
        if (arrived[group] < members[group] && !isUntracked) {
            return false;
        }
        System.arraycopy(this.sizes, group * GROUP, sizes, 0, members[group]);
        return true;
    }

    /** Will make data visible that were delivered: those of the ranges told, and no others. */
    long flush(int n, NetMemory[] memory, long[] offset, long[] bytes) {
        int[] found = new int[n];
        for (int i = 0; i < n; i++) {
            found[i] = unflushed(memory[i].segment(), offset[i], bytes[i]);
        }
        flushing.add(found);
        return ++flushes | FLUSH;
    }

    private int unflushed(MemorySegment memory, long offset, long bytes) {
        for (int target = 0; target < unflushed.length; target++) {
            if (unflushed[target] != null && memories[target] == memory && offsets[target] == offset
                    && unflushed[target].length == bytes) {
                return target;
            }
        }
        throw new AssertionError("a flush of " + bytes + " bytes at " + offset + ", where nothing came in");
    }

    /** Carries the oldest flush out; returns whether there was one. */
    boolean completeFlush() {
        if (flushing.isEmpty()) {
            return false;
        }
        for (int target : flushing.remove()) {
            show(target);
        }
        flushed++;
        return true;
    }

    /** As a read by the CPU does, which comes back behind all that was written before. */
    void flushAll() {
        for (int target = 0; target < unflushed.length; target++) {
            if (unflushed[target] != null) {
                show(target);
            }
        }
    }

    private void show(int target) {
        MemorySegment data = MemorySegment.ofArray(unflushed[target]);
        MemorySegment.copy(data, 0, memories[target], offsets[target], data.byteSize());
        unflushed[target] = null;
    }
}
