/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;

/**
 * The values that ranks put in, as bits of their type, chosen so that the result is exact and does not depend on the
 * order in which ranks are combined: no step of any order rounds.
 *
 * <ul>
 * <li>Integers wrap, and wrapping sums and products are exact: any bits will do. Factors are odd, for an even one
 *     would destroy what the others say.</li>
 * <li>Sums of floating-point values are of integers, or of quarters, so small that a sum over all ranks still fits the
 *     significand. Where even ones are too many for it, some ranks put in zeros, other ones at each index.</li>
 * <li>Products are of 1 and -1, except that one rank has a 2 and one a half.</li>
 * <li>Where nothing is reduced, any bits will do.</li>
 * </ul>
 */
final class PatternValues {
    /** A prime, so that data moved by a whole chunk, a power of two, do not fit. */
    static final int PERIOD = 4093;
    private static final int MAX_MAGNITUDE = 1000;
    /** Of {@link PerfOp#factor}. */
    private static final int MAX_FACTOR = 2;

    private final DataType type;
    private final PerfOp op;
    private final int nRanks;
    private final boolean isSummed;
    private final int exact;
    private final int magnitude;

    PatternValues(DataType type, PerfOp op, int nRanks) {
        this.type = type;
        this.op = op;
        this.nRanks = nRanks;
        this.isSummed = op == PerfOp.SUM || op == PerfOp.AVG || op == PerfOp.MULSUM;
        this.exact = exact(type) / (op == PerfOp.MULSUM ? MAX_FACTOR : 1);
        this.magnitude = Math.clamp(isSummed ? exact / nRanks : exact, 1, MAX_MAGNITUDE);
    }

    /** What a rank puts in at an index below {@link #PERIOD}. */
    long bits(int rank, int index) {
        long random = mix((long) rank * PERIOD + index);
        if (op == null || Numbers.isInteger(type)) {
            return Numbers.narrow(type, op == PerfOp.PROD ? random | 1 : random);
        }
        return Numbers.bits(type, op == PerfOp.PROD ? factor(rank, index, random) : summand(rank, index, random));
    }

    private double summand(int rank, int index, long random) {
        if (isSummed && (rank + index) % nRanks >= exact) {
            return 0;
        }
        double whole = Math.floorMod(random, 2 * magnitude + 1) - magnitude;
        return type == DataType.FLOAT32 || type == DataType.FLOAT64 ? whole / 4 : whole;
    }

    private double factor(int rank, int index, long random) {
        double value = random < 0 ? -1 : 1;
        long choice = mix(-1L - index) >>> 1;
        if (rank == choice % nRanks) {
            value *= 2;
        }
        return rank == choice / nRanks % nRanks ? value / 2 : value;
    }

    /** Up to which the type holds all integers: so much all ranks' magnitudes may add up to. */
    private static int exact(DataType type) {
        return switch (type) {
            case FLOAT8_E5M2 -> 1 << 3;
            case FLOAT8_E4M3 -> 1 << 4;
            case BFLOAT16 -> 1 << 8;
            case FLOAT16 -> 1 << 11;
            default -> 1 << 24;
        };
    }

    /** SplitMix64. */
    private static long mix(long seed) {
        long z = (seed + 1) * 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
