/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.Arrays;

/** RCCL's {@code ncclProxyGetPostedOps}: takes the whole list at once, and works off what a batch leaves of it. */
final class LockedFetcher extends OpsFetcher {
    private final LockedOps ops;
    private final int capacity;
    private final long[] returned;
    /** For each lane the slots of ops that were fetched: they are copied out, so each op that ends frees any of them. */
    private final int[] heads;
    private int nextOps = LockedOps.NONE;

    LockedFetcher(OpsPoolHeader header, OpsLane[] lanes, LockedOps ops) {
        super(header, ops, lanes);
        this.ops = ops;
        this.capacity = lanes[0].capacity();
        this.returned = new long[lanes.length];
        this.heads = new int[lanes.length];
        Arrays.fill(heads, LockedOps.NONE);
    }

    @Override
    public int fetch(Sink sink, int maxGroups) {
        if (nextOps == LockedOps.NONE) {
            nextOps = ops.takePosted();
        }
        int groups = maxGroups;
        int count = 0;
        while (groups > 0 && nextOps != LockedOps.NONE) {
            int lane = nextOps / capacity;
            long start = position(lane);
            groups -= fetchLane(sink, lane, groups);
            count += (int) (position(lane) - start);
        }
        return count;
    }

    @Override
    public boolean hasPosted() {
        return nextOps != LockedOps.NONE || ops.hasPosted();
    }

    @Override
    void completed(int lane, long count) {
        if (returned[lane] == count) {
            return;
        }
        int head = heads[lane];
        int tail = head;
        while (++returned[lane] < count) {
            tail = ops.next[tail];
        }
        heads[lane] = ops.next[tail];
        // Before the slots are given back: a poster must never find room that the count does not show.
        lane(lane).completed(count);
        ops.give(lane, head, tail);
    }

    private int fetchLane(Sink sink, int lane, int maxGroups) {
        int groups = 0;
        beginLane(lane);
        try {
            while (groups < maxGroups && isNextFrom(lane)) {
                fetchGroup(sink, lane);
                groups++;
            }
        } finally {
            endLane();
        }
        return groups;
    }

    private void fetchGroup(Sink sink, int lane) {
        long opCount = look(lane(lane).slot(nextOps - lane * capacity)).opCount();
        do {
            int index = nextOps;
            nextOps = ops.next[index];
            ops.next[index] = heads[lane];
            heads[lane] = index;
            deliver(sink);
        } while (isNextFrom(lane) && look(lane(lane).slot(nextOps - lane * capacity)).opCount() == opCount);
    }

    private boolean isNextFrom(int lane) {
        return nextOps != LockedOps.NONE && nextOps / capacity == lane;
    }
}
