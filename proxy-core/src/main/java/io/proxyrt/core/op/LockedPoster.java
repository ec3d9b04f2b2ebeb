/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** RCCL's poster: a private free list and a private chain, posted under a mutex. */
final class LockedPoster implements PostOrder.Poster {
    private final OpsLane lane;
    private final LockedOps ops;
    private final int capacity;
    private final int firstIndex;
    /** The op that stands at each position, modulo capacity. */
    private final int[] chain;
    private long taken;

    LockedPoster(OpsLane lane, LockedOps ops) {
        this.lane = lane;
        this.ops = ops;
        this.capacity = lane.capacity();
        this.firstIndex = lane.index() * capacity;
        this.chain = new int[capacity];
        this.taken = lane.posted();
    }

    @Override
    public long slot(long position) {
        return lane.slot(chain[at(position)] - firstIndex);
    }

    /** Takes the whole free list when the private one is used up. */
    @Override
    public long limit(long position) {
        if (position == taken) {
            for (int index = ops.takeFree(lane.index()); index != LockedOps.NONE; ) {
                chain[at(taken++)] = index;
                index = ops.next[index];
            }
        }
        assert taken - position <= capacity : taken;
        return taken;
    }

    @Override
    public void publish(long from, long upTo) {
        for (long position = from; position < upTo - 1; position++) {
            ops.next[chain[at(position)]] = chain[at(position + 1)];
        }
        ops.next[chain[at(upTo - 1)]] = LockedOps.NONE;
        // Before the ops are seen: an audit must never find more fetched than posted.
        lane.posted(upTo);
        ops.post(chain[at(from)], chain[at(upTo - 1)]);
    }

    @Override
    public void giveBack(long position) {
        for (; taken > position; taken--) {
            int index = chain[at(taken - 1)];
            ops.give(lane.index(), index, index);
        }
    }

    private int at(long position) {
        return (int) position & capacity - 1;
    }
}
