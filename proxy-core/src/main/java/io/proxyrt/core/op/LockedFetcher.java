/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.Arrays;

/** RCCL's {@code ncclProxyGetPostedOps}: takes the whole list at once, and works off what a batch leaves of it. */
final class LockedFetcher implements PostOrder.Fetcher {
    private final LockedOps ops;
    private final int capacity;
    private final long[] returned;
    /**
     * For each lane the slots of ops that were fetched: they are copied out, so each op that ends frees any of them.
     */
    private final int[] heads;
    private int nextOps = LockedOps.NONE;

    LockedFetcher(LockedOps ops, int lanes, int capacity) {
        this.ops = ops;
        this.capacity = capacity;
        this.returned = new long[lanes];
        this.heads = new int[lanes];
        Arrays.fill(heads, LockedOps.NONE);
    }

    @Override
    public int fetch(OpsFetcher lanes, OpsFetcher.Sink sink, int maxGroups) {
        if (nextOps == LockedOps.NONE) {
            nextOps = ops.takePosted();
        }
        int groups = maxGroups;
        int count = 0;
        while (groups > 0 && nextOps != LockedOps.NONE) {
            LaneBook book = lanes.book(nextOps / capacity);
            long start = book.fetched;
            groups -= lanes.fetch(book, sink, groups);
            count += (int) (book.fetched - start);
        }
        return count;
    }

    @Override
    public boolean hasPosted() {
        return nextOps != LockedOps.NONE || ops.hasPosted();
    }

    @Override
    public boolean copy(LaneBook book) {
        int first = book.lane.index() * capacity;
        if (nextOps < first || nextOps >= first + capacity) {
            return false;
        }
        book.copy(nextOps - first, 1);
        return true;
    }

    /** Moves the op from the list to those whose slots an ending op may free. */
    @Override
    public void take(LaneBook book) {
        int index = nextOps;
        nextOps = ops.next[index];
        ops.next[index] = heads[book.lane.index()];
        heads[book.lane.index()] = index;
    }

    @Override
    public void completed(LaneBook book) {
        int lane = book.lane.index();
        if (returned[lane] == book.completed) {
            return;
        }
        int head = heads[lane];
        assert head != LockedOps.NONE && returned[lane] < book.completed : book;
        int tail = head;
        while (++returned[lane] < book.completed) {
            tail = ops.next[tail];
        }
        heads[lane] = ops.next[tail];
        // Before the slots are given back: a poster must never find room that the count does not show.
        book.lane.completed(book.completed);
        ops.give(lane, head, tail);
    }
}
