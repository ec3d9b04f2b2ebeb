/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What the mapped file says of the ops of one lane that are in flight, as {@link OpsPoolDescriptor} lays it out. An op
 * keeps its entry from one update to the next. The consumer's own.
 */
final class PublishedOps {
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final OpBlocks blocks;
    /** Of each entry: its op's time, 0 if it has none; and its op's ticket. */
    private final long[] since;
    private final int[] tickets;
    private final int[] free;
    private int nFree;

    PublishedOps(OpsLane lane, OpBlocks blocks) {
        this.memory = lane.memory();
        this.blocks = blocks;
        this.since = new long[lane.capacity()];
        this.tickets = new int[lane.capacity()];
        this.free = new int[lane.capacity()];
        while (nFree < free.length) {
            free[nFree] = free.length - 1 - nFree++;
        }
    }

    /** Takes out the ops that have ended; first, so that the others find room. */
    void strike() {
        for (int entry = 0; entry < since.length; entry++) {
            if (since[entry] != 0
                    && since[entry] != blocks.of(tickets[entry]).since[tickets[entry] & OpBlock.OPS - 1]) {
                since[entry] = 0;
                LONG.setRelease(memory, offset(entry), 0L);
                free[nFree++] = entry;
            }
        }
    }

    /** Puts in those of a block's first ops that are in flight and new. */
    void enter(OpBlock block, int ops) {
        for (int index = 0; index < ops; index++) {
            long newSince = block.since[index];
            if (newSince != 0 && newSince != since[block.entries[index]]) {
                int entry = free[--nFree];
                block.entries[index] = entry;
                block.op.moveTo(index);
                tickets[entry] = block.op.ticket();
                since[entry] = newSince;
                write(offset(entry), newSince, block.op);
            }
        }
    }

    private void write(long offset, long newSince, ProxyOp op) {
        LONG.setRelease(memory, offset, 0L);
        // The 0 must not come after what follows: a reader could take it for the op before.
        VarHandle.storeStoreFence();
        memory.set(ValueLayout.JAVA_LONG, offset + OpsPoolDescriptor.OP_COUNT_OFFSET, op.opCount());
        memory.set(ValueLayout.JAVA_LONG, offset + OpsPoolDescriptor.CONNECTION_OFFSET, op.connection());
        memory.set(ValueLayout.JAVA_INT, offset + OpsPoolDescriptor.PEER_OFFSET, op.peer());
        memory.set(ValueLayout.JAVA_INT, offset + OpsPoolDescriptor.CHANNEL_OFFSET, op.channelId());
        LONG.setRelease(memory, offset, newSince);
    }

    private static long offset(int entry) {
        return OpsPoolDescriptor.IN_FLIGHT_OFFSET + entry * OpsPoolDescriptor.IN_FLIGHT_BYTES;
    }
}
