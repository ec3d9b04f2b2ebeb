/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** 32-bit integers, signed and unsigned. */
final class ReductionInts extends Reduction {
    private final int bias;
    private final long mask;
    private final double divisor;
    private final int[] right;

    ReductionInts(DataType type, RedOp op, int nRanks) {
        final int[] x = new int[(BLOCK_BYTES + SLACK_BYTES) / Integer.BYTES];
        final int[] y = new int[(BLOCK_BYTES + SLACK_BYTES) / Integer.BYTES];
        super(type, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.bias = type == DataType.UINT32 ? Integer.MIN_VALUE : 0;
        this.mask = type == DataType.UINT32 ? 0xFFFFFFFFL : -1;
        this.divisor = nRanks;
        this.right = y;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final int[] left = (int[]) into;
        final int n = bytes / Integer.BYTES;
        switch (op) {
            case SUM -> sum(left, right, n);
            case PROD -> product(left, right, n);
            case MAX -> max(left, right, bias, n);
            case MIN -> min(left, right, bias, n);
            case AVG -> {
                sum(left, right, n);
                divide(left, mask, divisor, n);
            }
        }
    }

    private static void sum(int[] x, int[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] + y[i];
        }
    }

    private static void product(int[] x, int[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] * y[i];
        }
    }

    private static void max(int[] x, int[] y, int bias, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.max(x[i] ^ bias, y[i] ^ bias) ^ bias;
        }
    }

    private static void min(int[] x, int[] y, int bias, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.min(x[i] ^ bias, y[i] ^ bias) ^ bias;
        }
    }

    /** In double, which has a vector division, and is exact: no quotient rounds up to an integer it is less than. */
    private static void divide(int[] x, long mask, double divisor, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = (int) (long) ((x[i] & mask) / divisor);
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(right, (int) factor, bytes / Integer.BYTES);
    }

    private static void scale(int[] y, int factor, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = y[i] * factor;
        }
    }
}
