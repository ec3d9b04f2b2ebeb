/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.Arrays;

/**
 * The consumer's book of the ops in flight: the blocks into which it copies them. An op is noted there by the time of
 * its copy, struck out by a 0, and found by its ticket, {@code block << 6 | index}. A block is used again when all of
 * its ops have ended. So there can be as many blocks as ops, if each is kept by one of them; there are as many as were
 * ever needed, and those last used are used first, because the cache has them.
 */
final class OpBlocks {
    private OpBlock[] all = new OpBlock[2];
    private int count;
    private OpBlock free;
    private long nowNs = System.nanoTime();
    private long nextSince = Long.MIN_VALUE | 1;

    void tick(long now) {
        nowNs = now;
    }

    int count() {
        return count;
    }

    OpBlock get(int number) {
        return all[number];
    }

    OpBlock of(int ticket) {
        return all[ticket >>> OpBlock.SHIFT];
    }

    /** A block without ops, for a lane. */
    OpBlock take(LaneBook book) {
        OpBlock block = free == null ? grow() : free;
        free = block.nextFree;
        assert block.live == 0 : block.live;
        block.nextFree = null;
        block.book = book;
        block.copied = 0;
        return block;
    }

    /** All ops of a block have ended, and no more will be copied to it. */
    void give(OpBlock block) {
        assert block.live == 0 && block.nextFree == null : block.live;
        block.nextFree = free;
        free = block;
    }

    /**
     * The time for the first of {@code ops} ops. All are odd, so not 0, and no two the same: a reader of the file would
     * take two ops of one tick for one.
     */
    long since(int ops) {
        long since = Math.max(nextSince, nowNs | 1);
        nextSince = since + 2 * ops;
        return since;
    }

    private OpBlock grow() {
        if (count == all.length) {
            all = Arrays.copyOf(all, 2 * count);
        }
        all[count] = new OpBlock(count);
        return all[count++];
    }
}
