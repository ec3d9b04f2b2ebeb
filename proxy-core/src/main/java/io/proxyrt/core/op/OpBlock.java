/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Ops that were copied out of a lane one after the other, and stay here until the last of them has ended. */
final class OpBlock {
    /** A copy of as many waits for the poster's cache once, however long it is. */
    static final int OPS = 64;
    static final int SHIFT = Integer.numberOfTrailingZeros(OPS);

    final int number;
    /** A view of the bytes for good: to store a reference for each op would cost the collector's barrier. */
    final ProxyOp op;
    /** When each op was copied, of the monotonic clock; 0 once it has ended. */
    final long[] since = new long[OPS];
    /** Where the mapped file has each op; what it says of others is stale. */
    final int[] entries = new int[OPS];
    /** Whose ops they are. */
    LaneBook book;
    /** Ops that were copied. */
    int copied;
    /** Ops of them that have not ended. */
    int live;
    /** While it is free. */
    OpBlock nextFree;

    private final byte[] bytes = new byte[OPS * ProxyOpDescriptor.BYTES];

    OpBlock(int number) {
        this.number = number;
        this.op = new ProxyOp(bytes, number << SHIFT);
    }

    /** Whether more ops can be copied to it, if need be over those that were: once all of them have ended. */
    boolean hasRoom() {
        if (live == 0) {
            copied = 0;
        }
        return copied < OPS;
    }

    /** Copies ops out of their slots; the first one gets that time, the others each 2 ns more. */
    void copy(MemorySegment memory, long slot, int ops, long firstSince) {
        assert ops > 0 && copied + ops <= OPS && live <= copied : copied;
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, slot, bytes, copied * ProxyOpDescriptor.BYTES,
                ops * ProxyOpDescriptor.BYTES);
        for (int i = 0; i < ops; i++) {
            since[copied + i] = firstSince + 2 * i;
        }
        copied += ops;
        live += ops;
    }

    /** An op has ended. */
    void end(int index) {
        if (since[index] == 0) {
            throw endedTwice(index);
        }
        since[index] = 0;
        live--;
        assert live >= 0 : live;
    }

    private ProxyException endedTwice(int index) {
        ProxyOp ended = new ProxyOp(bytes, 0);
        ended.moveTo(index);
        return new ProxyException(ProxyResult.INTERNAL_ERROR, book + ": an op ended twice: op " + ended.opCount()
                + " peer " + ended.peer() + " channel " + ended.channelId() + " connection "
                + Long.toHexString(ended.connection()));
    }
}
