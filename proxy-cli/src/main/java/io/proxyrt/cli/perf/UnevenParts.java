/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

/**
 * Parts of ranks that differ: the first of them is empty, the last about twice their average. Of an all-to-all, they
 * begin elsewhere for each rank, but so that two ranks exchange as much both ways.
 */
final class UnevenParts {
    private static final int ALIGNMENT = 16;

    private final long[] counts;
    private final long[] displacements;

    private UnevenParts(long average, int nRanks, int first) {
        counts = new long[nRanks];
        displacements = new long[nRanks];
        long at = 0;
        for (int i = 0; i < nRanks; i++) {
            counts[i] = count(average, (first + i) % nRanks, nRanks);
            displacements[i] = at;
            at += counts[i];
        }
    }

    /** The parts of ranks in one buffer, the same at all ranks. */
    static UnevenParts ofRanks(long average, int nRanks) {
        return new UnevenParts(average, nRanks, 0);
    }

    /** What a rank exchanges with each other one. */
    static UnevenParts ofExchange(long average, int nRanks, int rank) {
        return new UnevenParts(average, nRanks, rank);
    }

    private static long count(long average, int index, int nRanks) {
        if (nRanks == 1) {
            return average;
        }
        long count = 2 * average * index / (nRanks - 1);
        return count < ALIGNMENT ? count : count & -ALIGNMENT;
    }

    long[] counts() {
        return counts;
    }

    long[] displacements() {
        return displacements;
    }

    long total() {
        return displacements[displacements.length - 1] + counts[counts.length - 1];
    }
}
