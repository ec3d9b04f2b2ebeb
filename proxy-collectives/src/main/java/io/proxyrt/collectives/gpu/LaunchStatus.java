/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.gpu;

import io.proxyrt.core.ProxyException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * What kernels say of themselves, in memory that both sides reach.
 *
 * <pre>
 *   0       64      128
 *  +-------+-------+--------------------------------------------------+
 *  | done  | abort | blocks of 64 bytes                               |
 *  +-------+-------+--------------------------------------------------+
 *  block:  moves @0 | launch @8 | reason @16 | awaited @24 | step @32 | peer @40
 * </pre>
 *
 * <p>The last block of a launch stores done, the number of the last launch that is complete; the host stores abort.
 * All else the blocks store: moves changes with each slice, and while a wait takes long the rest says for what. A
 * reason is stored last.
 */
final class LaunchStatus {
    static final long DONE = 0;
    /** The number of launches that are no part of what is done. */
    static final long OF_GRAPH = 0;
    static final long ABORT = 64;
    static final long BLOCKS = 128;
    static final long BLOCK_BYTES = 64;
    static final long MOVES = 0;
    static final long LAUNCH = 8;
    static final long REASON = 16;
    static final long AWAITED = 24;
    static final long STEP = 32;
    static final long PEER = 40;
    /** Ended because the host wanted it to. */
    static final long ABORTED = 1;
    /** Ended because what came is part of another operation than this rank's. */
    static final long DISAGREED = 3;

    private static final long CREDIT = 1;
    private static final String[] AWAITED_NAMES = {"nothing", "credit", "tail", "the lines"};
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    private final MemorySegment memory;
    private final int blocks;

    /** Over zeroed memory of at least {@link #bytes}. */
    LaunchStatus(MemorySegment memory, int blocks) {
        this.memory = memory;
        this.blocks = blocks;
    }

    static long bytes(int blocks) {
        return BLOCKS + blocks * BLOCK_BYTES;
    }

    /** Pairs with the last block's store: what the launch did is visible. */
    long done() {
        return (long) LONG.getAcquire(memory, DONE);
    }

    void abort() {
        LONG.setRelease(memory, ABORT, 1L);
    }

    long moves() {
        long moves = 0;
        for (int block = 0; block < blocks; block++) {
            moves += get(block, MOVES);
        }
        return moves;
    }

    /** The first block that gave up; -1 if none did. */
    int failed() {
        for (int block = 0; block < blocks; block++) {
            if (reason(block) != 0) {
                return block;
            }
        }
        return -1;
    }

    long reason(int block) {
        return get(block, REASON);
    }

    /** The first reason why what a block waits for that waits long will never come; null if there is none. */
    ProxyException whyHopeless(WaitJudge judge) {
        for (int block = 0; block < blocks; block++) {
            long awaited = get(block, AWAITED);
            ProxyException why = awaited == 0 ? null : judge.why((int) get(block, PEER), awaited == CREDIT);
            if (why != null) {
                return why;
            }
        }
        return null;
    }

    /** What the blocks wait for that wait long; empty if none does. */
    String waits() {
        StringBuilder waits = new StringBuilder();
        for (int block = 0; block < blocks; block++) {
            if (get(block, AWAITED) != 0) {
                waits.append(waits.isEmpty() ? "" : "; ").append(describe(block));
            }
        }
        return waits.toString();
    }

    /** What a block waits for, or waited for when it gave up. */
    String describe(int block) {
        int awaited = (int) get(block, AWAITED);
        long launch = get(block, LAUNCH);
        return "block " + block + (launch == OF_GRAPH ? " of a graph" : " of launch " + launch) + " waits for "
                + AWAITED_NAMES[awaited >= 0 && awaited < AWAITED_NAMES.length ? awaited : 0] + " of step "
                + get(block, STEP) + " from rank " + get(block, PEER);
    }

    private long get(int block, long offset) {
        return (long) LONG.getAcquire(memory, BLOCKS + block * BLOCK_BYTES + offset);
    }
}
