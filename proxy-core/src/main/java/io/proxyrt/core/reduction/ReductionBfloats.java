/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/**
 * The upper half of a binary32, computed in binary32 and rounded once, to nearest even.
 *
 * <p>Operands are taken two to an int, parted into the bits of floats, and copied to where they are floats: C2 has no
 * vector form of {@link Float#intBitsToFloat}, nor of widening shorts, while a copy within the first-level cache is
 * cheap.
 */
final class ReductionBfloats extends Reduction {
    private static final int EXPONENT = 0x7F80_0000;
    private static final int UPPER = 0xFFFF_0000;
    private static final int PAIRS = (BLOCK_BYTES / 2 + SLACK_BYTES) / Integer.BYTES;

    private final float divisor;
    private final int[] right;
    private final int[] lower = new int[PAIRS];
    private final int[] upper = new int[PAIRS];
    private final float[] x = new float[2 * PAIRS];
    private final float[] y = new float[2 * PAIRS];
    private final MemorySegment lowerSegment = MemorySegment.ofArray(lower);
    private final MemorySegment upperSegment = MemorySegment.ofArray(upper);
    private final MemorySegment xSegment = MemorySegment.ofArray(x);
    private final MemorySegment ySegment = MemorySegment.ofArray(y);

    ReductionBfloats(RedOp op, int nRanks) {
        final int[] leftPairs = new int[PAIRS];
        final int[] rightPairs = new int[PAIRS];
        super(DataType.BFLOAT16, op, MemorySegment.ofArray(leftPairs), MemorySegment.ofArray(rightPairs));
        this.divisor = nRanks;
        this.right = rightPairs;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final int[] left = (int[]) into;
        final int pairs = bytes / Integer.BYTES;
        widen(left, xSegment, pairs);
        widen(right, ySegment, pairs);
        ReductionFloats.combine(op, x, y, divisor, 2 * pairs);
        MemorySegment.copy(xSegment, 0, lowerSegment, 0, bytes);
        MemorySegment.copy(xSegment, bytes, upperSegment, 0, bytes);
        join(lower, upper, left, pairs);
    }

    /** Without the copies, which would take several times as long as the rest. */
    @Override
    void combineFew(RedOp op, Object into, int bytes) {
        final int[] left = (int[]) into;
        for (int i = 0; i * Integer.BYTES < bytes; i++) {
            final int low = combine(op, left[i] << 16, right[i] << 16);
            final int high = combine(op, left[i] & UPPER, right[i] & UPPER);
            left[i] = round(low) >>> 16 | round(high) & UPPER;
        }
    }

    private int combine(RedOp op, int xBits, int yBits) {
        final float a = Float.intBitsToFloat(xBits);
        final float b = Float.intBitsToFloat(yBits);
        return Float.floatToRawIntBits(switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case AVG -> (a + b) / divisor;
        });
    }

    private void widen(int[] packed, MemorySegment floats, int pairs) {
        partLower(packed, lower, pairs);
        partUpper(packed, upper, pairs);
        final long bytes = (long) pairs * Integer.BYTES;
        MemorySegment.copy(lowerSegment, 0, floats, 0, bytes);
        MemorySegment.copy(upperSegment, 0, floats, bytes, bytes);
    }

    private static void partLower(int[] packed, int[] lower, int pairs) {
        for (int i = 0; i < pairs; i++) {
            lower[i] = packed[i] << 16;
        }
    }

    private static void partUpper(int[] packed, int[] upper, int pairs) {
        for (int i = 0; i < pairs; i++) {
            upper[i] = packed[i] & UPPER;
        }
    }

    private static void join(int[] lower, int[] upper, int[] packed, int pairs) {
        for (int i = 0; i < pairs; i++) {
            packed[i] = round(lower[i]) >>> 16 | round(upper[i]) & UPPER;
        }
    }

    /** Correct in the upper half; without a branch, which would keep the loop from being vectorised. */
    private static int round(int bits) {
        final int ifNan = EXPONENT - (bits & Integer.MAX_VALUE) >> 31;
        final int half = 0x7FFF + (bits >>> 16 & 1);
        return bits + (half & ~ifNan) | ifNan & 0x40_0000;
    }

    @Override
    void multiply(long factor, int bytes) {
        final int pairs = bytes / Integer.BYTES;
        widen(right, ySegment, pairs);
        ReductionFloats.scale(y, Float.intBitsToFloat((int) factor << 16), 2 * pairs);
        MemorySegment.copy(ySegment, 0, lowerSegment, 0, bytes);
        MemorySegment.copy(ySegment, bytes, upperSegment, 0, bytes);
        join(lower, upper, right, pairs);
    }
}
