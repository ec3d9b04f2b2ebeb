/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/** What the consumer knows of one lane. */
final class LaneBook {
    final OpsLane lane;
    /** Ops that were taken. */
    long fetched;
    /** Ops of them that have ended. */
    long completed;
    /** Ops that are known to be posted. */
    long seen;
    /** Whether ops are being delivered: then what ends is published at the end. */
    boolean isFetching;

    private final OpsPoolHeader header;
    private final OpBlocks blocks;
    private final PublishedOps published;
    /** Where the last ops were copied; null before the first. */
    private OpBlock block;
    /** The next op there. */
    private int next;
    private int end;
    private long publishedFetched;
    private long publishedCompleted;

    LaneBook(OpsPoolHeader header, OpsLane lane, OpBlocks blocks) {
        this.header = header;
        this.lane = lane;
        this.blocks = blocks;
        this.published = new PublishedOps(lane, blocks);
    }

    /** Looks for more only when all that was seen is used up: each look may cost both sides a cache miss. */
    boolean hasPosted() {
        if (seen == fetched) {
            seen = lane.publishedAfter(fetched, OpBlock.OPS);
        }
        assert fetched <= seen && seen - fetched <= lane.capacity() : this;
        return seen != fetched;
    }

    /** Whether the next op was copied out. */
    boolean hasCopy() {
        return next != end;
    }

    /** Copies ops out of adjacent slots from {@code slot} on: at most {@code ops}, and what a block has room for. */
    void copy(long slot, long ops) {
        assert next == end && ops > 0 : this;
        if (block == null || !block.hasRoom()) {
            block = blocks.take(this);
        }
        int n = Math.min(lane.run(slot, ops), OpBlock.OPS - block.copied);
        next = block.copied;
        block.copy(lane.memory(), lane.slot(slot), n, blocks.since(n));
        end = block.copied;
    }

    /** The next op; it was copied out. */
    ProxyOp next() {
        assert hasCopy() : this;
        ProxyOp op = block.op;
        op.moveTo(next);
        return op;
    }

    /** Whether the accounts balance: free + pending + in flight = capacity, and none of the three is negative. */
    boolean isBalanced() {
        return 0 <= completed && completed <= fetched && fetched <= lane.posted()
                && lane.posted() - completed <= lane.capacity();
    }

    /** The next op is in flight now. */
    void take() {
        next++;
        fetched++;
    }

    /** Whether ops will be copied to a block even if all that it has have ended. */
    boolean isCopyingTo(OpBlock other) {
        return block == other;
    }

    /** Takes the ops that have ended out of the mapped file. Returns whether there may be new ones. */
    boolean strikeEnded() {
        boolean isStale = fetched != publishedFetched || completed != publishedCompleted;
        if (isStale) {
            published.strike();
            publishedFetched = fetched;
            publishedCompleted = completed;
        }
        return isStale;
    }

    /** Brings the mapped file up to date on the ops of a block. */
    void publish(OpBlock other) {
        published.enter(other, other == block ? next : other.copied);
    }

    @Override
    public String toString() {
        return header + ", " + lane;
    }
}
