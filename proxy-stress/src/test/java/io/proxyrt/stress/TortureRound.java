/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.stress;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/** What two ranks send each other at once: sizes, places and bytes follow from a seed that both know. */
final class TortureRound {
    private static final int RANKS = 2;
    private static final int MOST_MESSAGES = 4;
    private static final int MOST_OFFSET = 64;
    private static final int MOST_BYTES_LOG2 = 19;
    private static final int EMPTY_ONE_IN = 16;
    private static final int WHOLE_ONE_IN = 4;
    private static final int SLOT_BYTES = 8 << 10;
    /** Of the buffer for a message. */
    static final int ROOM = (2 << MOST_BYTES_LOG2) + MOST_OFFSET;
    /** Of the buffers for a round. */
    static final int BYTES = MOST_MESSAGES * ROOM;

    private final long seed;
    private final int messages;
    private final boolean isBroadcast;
    private final int[][] sizes = new int[RANKS][MOST_MESSAGES];
    private final int[][] places = new int[RANKS][MOST_MESSAGES];
    private final MemorySegment pattern = MemorySegment.ofArray(new long[ROOM / Long.BYTES]);

    TortureRound(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        this.seed = seed;
        this.messages = 1 + random.nextInt(MOST_MESSAGES);
        this.isBroadcast = random.nextBoolean();
        for (int rank = 0; rank < RANKS; rank++) {
            for (int i = 0; i < messages; i++) {
                sizes[rank][i] = size(random);
                places[rank][i] = i * ROOM + random.nextInt(MOST_OFFSET);
            }
        }
    }

    /** As many small ones as large ones, and some that end where a slot does, or beside it. */
    private static int size(SplittableRandom random) {
        if (random.nextInt(EMPTY_ONE_IN) == 0) {
            return 0;
        }
        int size = 1 + random.nextInt(1 << 1 + random.nextInt(MOST_BYTES_LOG2));
        return random.nextInt(WHOLE_ONE_IN) > 0 ? size
                : (size + SLOT_BYTES - 1) / SLOT_BYTES * SLOT_BYTES + random.nextInt(3) - 1;
    }

    int messages() {
        return messages;
    }

    /** Whether they go round the ring, not from peer to peer. */
    boolean isBroadcast() {
        return isBroadcast;
    }

    /** Where a rank's message lies, at that rank and at the other. */
    MemorySegment message(MemorySegment memory, int rank, int i) {
        return memory.asSlice(places[rank][i], sizes[rank][i]);
    }

    void fill(MemorySegment memory, int rank) {
        for (int i = 0; i < messages; i++) {
            MemorySegment.copy(pattern(rank, i), 0, message(memory, rank, i), 0, sizes[rank][i]);
        }
    }

    /** Compares every byte of a rank's messages; returns how many there are. */
    long check(MemorySegment memory, int rank) {
        long bytes = 0;
        for (int i = 0; i < messages; i++) {
            long wrong = message(memory, rank, i).mismatch(pattern(rank, i).asSlice(0, sizes[rank][i]));
            if (wrong >= 0) {
                throw new AssertionError("round " + seed + ": message " + i + " of rank " + rank + ", " + sizes[rank][i]
                        + " bytes, is wrong from byte " + wrong + " on");
            }
            bytes += sizes[rank][i];
        }
        return bytes;
    }

    private MemorySegment pattern(int rank, int i) {
        SplittableRandom random = new SplittableRandom(seed * RANKS * MOST_MESSAGES + (long) rank * MOST_MESSAGES + i);
        for (long at = 0; at < sizes[rank][i]; at += Long.BYTES) {
            pattern.set(ValueLayout.JAVA_LONG, at, random.nextLong());
        }
        return pattern;
    }
}
