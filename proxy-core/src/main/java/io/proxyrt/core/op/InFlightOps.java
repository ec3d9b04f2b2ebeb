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
 * The consumer's book of the ops of one lane that are in flight. It stands in the mapped file, so that posters, audits
 * and other processes can name them; the free entries are the consumer's own.
 */
final class InFlightOps {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int[] free;
    private int nFree;
    private long since = Long.MIN_VALUE | 1;

    InFlightOps(OpsLane lane) {
        this.memory = lane.memory();
        this.free = new int[lane.capacity()];
        while (nFree < free.length) {
            free[nFree] = free.length - 1 - nFree++;
        }
    }

    /** Notes an op. Returns its entry, for {@link #remove}. */
    int add(ProxyOp op, long nowNs) {
        int entry = free[--nFree];
        long offset = offset(entry);
        // The 0 that remove stored must not come after what follows: a reader could take it for the op before.
        VarHandle.storeStoreFence();
        memory.set(ValueLayout.JAVA_LONG, offset + OpsPoolDescriptor.OP_COUNT_OFFSET, op.opCount());
        memory.set(ValueLayout.JAVA_LONG, offset + OpsPoolDescriptor.CONNECTION_OFFSET, op.connection());
        memory.set(ValueLayout.JAVA_INT, offset + OpsPoolDescriptor.PEER_OFFSET, op.peer());
        memory.set(ValueLayout.JAVA_INT, offset + OpsPoolDescriptor.CHANNEL_OFFSET, op.channelId());
        // Odd, so not 0, and never twice the same: a reader would take two ops of one tick for one.
        since = Math.max(since + 2, nowNs | 1);
        LONG.setRelease(memory, offset, since);
        return entry;
    }

    void remove(int entry) {
        long offset = offset(entry);
        if (memory.get(ValueLayout.JAVA_LONG, offset) == 0) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, "an op ended twice: op "
                    + memory.get(ValueLayout.JAVA_LONG, offset + OpsPoolDescriptor.OP_COUNT_OFFSET) + " peer "
                    + memory.get(ValueLayout.JAVA_INT, offset + OpsPoolDescriptor.PEER_OFFSET) + " channel "
                    + memory.get(ValueLayout.JAVA_INT, offset + OpsPoolDescriptor.CHANNEL_OFFSET));
        }
        LONG.setRelease(memory, offset, 0L);
        free[nFree++] = entry;
    }

    boolean contains(int entry) {
        return memory.get(ValueLayout.JAVA_LONG, offset(entry)) != 0;
    }

    int size() {
        return free.length - nFree;
    }

    private static long offset(int entry) {
        return OpsPoolDescriptor.IN_FLIGHT_OFFSET + entry * OpsPoolDescriptor.IN_FLIGHT_BYTES;
    }
}
