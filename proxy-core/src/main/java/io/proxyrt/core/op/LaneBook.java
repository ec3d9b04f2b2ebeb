/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** What the consumer knows of one lane. */
final class LaneBook {
    /** Ops that are copied out at once: each block waits once for the poster's cache, however long it is. */
    private static final int BLOCK = 32;

    final OpsLane lane;
    final InFlightOps inFlight;
    /** The next op to be fetched, once it is copied out. */
    final ProxyOp op;
    /** Ops that were taken. */
    long fetched;
    /** Ops of them that have ended. */
    long completed;
    /** Ops that are known to be posted. */
    long seen;
    /** Whether ops are being delivered: then what ends is published at the end. */
    boolean isFetching;
    private final byte[] block;
    private long blockStart;
    private long blockEnd;

    LaneBook(OpsPoolHeader header, OpsLane lane) {
        this.lane = lane;
        this.inFlight = new InFlightOps(header, lane);
        this.block = new byte[Math.min(BLOCK, lane.capacity()) * ProxyOpDescriptor.BYTES];
        this.op = new ProxyOp(block);
    }

    /** Looks at the poster's word only when all that was seen there is used up: each look costs both a cache miss. */
    boolean hasPosted() {
        if (seen == fetched) {
            seen = lane.posted();
        }
        return seen != fetched;
    }

    /** Whether the next op was copied out. */
    boolean hasCopy() {
        return fetched != blockEnd;
    }

    /** Copies the next ops out of their slots, which follow one another from that number on; not more than so many. */
    void copy(long slot, long ops) {
        int n = Math.min(lane.run(slot, ops), block.length / ProxyOpDescriptor.BYTES);
        MemorySegment.copy(lane.memory(), ValueLayout.JAVA_BYTE, lane.slot(slot), block, 0,
                n * ProxyOpDescriptor.BYTES);
        blockStart = fetched;
        blockEnd = fetched + n;
    }

    /** The next op; it was copied out. */
    ProxyOp next() {
        op.moveTo((int) (fetched - blockStart));
        return op;
    }
}
