/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The consumer's book of the ops of one lane that are in flight. It is the consumer's own, because every op goes
 * through it; {@link #publish()} brings the mapped file up to date, from which posters, audits and other processes name
 * them.
 */
final class InFlightOps {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();
    /** Longs of an entry: since, 0 if it is free; opCount; connection; channel and peer. */
    private static final int STRIDE = 4;

    private final OpsPoolHeader header;
    private final OpsLane lane;
    private final MemorySegment memory;
    private final long[] entries;
    private final int[] free;
    private int nFree;
    private long lastSince = Long.MIN_VALUE | 1;
    private long publishedSince = lastSince;
    private int publishedFree;

    InFlightOps(OpsPoolHeader header, OpsLane lane) {
        this.header = header;
        this.lane = lane;
        this.memory = lane.memory();
        this.entries = new long[lane.capacity() * STRIDE];
        this.free = new int[lane.capacity()];
        while (nFree < free.length) {
            free[nFree] = free.length - 1 - nFree++;
        }
        publishedFree = nFree;
    }

    /** Notes an op. Returns its entry, for {@link #remove}. */
    int add(ProxyOp op, long nowNs) {
        int entry = free[--nFree];
        // Odd, so not 0, and never twice the same: a reader of the file would take two ops of one tick for one.
        lastSince = Math.max(lastSince + 2, nowNs | 1);
        int i = entry * STRIDE;
        entries[i] = lastSince;
        entries[i + 1] = op.opCount();
        entries[i + 2] = op.connection();
        entries[i + 3] = (long) op.channelId() << Integer.SIZE | op.peer() & 0xffffffffL;
        return entry;
    }

    void remove(int entry) {
        int i = entry * STRIDE;
        if (entries[i] == 0) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, header + ", " + lane + ": an op ended twice: op "
                    + entries[i + 1] + " peer " + (int) entries[i + 3] + " channel " + (entries[i + 3] >>> Integer.SIZE)
                    + " connection " + Long.toHexString(entries[i + 2]));
        }
        entries[i] = 0;
        free[nFree++] = entry;
    }

    boolean contains(int entry) {
        return entries[entry * STRIDE] != 0;
    }

    int size() {
        return free.length - nFree;
    }

    /** Brings the mapped file up to date. */
    void publish() {
        if (publishedSince == lastSince && publishedFree == nFree) {
            return;
        }
        publishedSince = lastSince;
        publishedFree = nFree;
        for (int i = 0; i < entries.length; i += STRIDE) {
            long offset = OpsPoolDescriptor.IN_FLIGHT_OFFSET + (long) i * Long.BYTES;
            if (memory.get(ValueLayout.JAVA_LONG, offset) != entries[i]) {
                publish(i, offset);
            }
        }
    }

    private void publish(int i, long offset) {
        LONG.setRelease(memory, offset, 0L);
        // The 0 must not come after what follows: a reader could take it for the op before.
        VarHandle.storeStoreFence();
        for (int word = 1; word < STRIDE; word++) {
            memory.set(ValueLayout.JAVA_LONG, offset + (long) word * Long.BYTES, entries[i + word]);
        }
        LONG.setRelease(memory, offset, entries[i]);
    }
}
