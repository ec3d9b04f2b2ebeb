/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** 64-bit integers, signed and unsigned. */
final class ReductionLongs extends Reduction {
    private final boolean unsigned;
    private final long bias;
    private final long divisor;
    private final long[] right;

    ReductionLongs(DataType type, RedOp op, int nRanks) {
        final long[] x = new long[(BLOCK_BYTES + SLACK_BYTES) / Long.BYTES];
        final long[] y = new long[(BLOCK_BYTES + SLACK_BYTES) / Long.BYTES];
        super(type, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.unsigned = type == DataType.UINT64;
        this.bias = unsigned ? Long.MIN_VALUE : 0;
        this.divisor = nRanks;
        this.right = y;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final long[] left = (long[]) into;
        final int n = bytes / Long.BYTES;
        switch (op) {
            case SUM -> sum(left, right, n);
            case PROD -> product(left, right, n);
            case MAX -> max(left, right, bias, n);
            case MIN -> min(left, right, bias, n);
            case AVG -> average(left, n);
        }
    }

    private void average(long[] left, int n) {
        sum(left, right, n);
        if (unsigned) {
            divideUnsigned(left, divisor, n);
        } else {
            divide(left, divisor, n);
        }
    }

    private static void sum(long[] x, long[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] + y[i];
        }
    }

    private static void product(long[] x, long[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] * y[i];
        }
    }

    private static void max(long[] x, long[] y, long bias, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.max(x[i] ^ bias, y[i] ^ bias) ^ bias;
        }
    }

    private static void min(long[] x, long[] y, long bias, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.min(x[i] ^ bias, y[i] ^ bias) ^ bias;
        }
    }

    private static void divide(long[] x, long divisor, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] / divisor;
        }
    }

    private static void divideUnsigned(long[] x, long divisor, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Long.divideUnsigned(x[i], divisor);
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(right, factor, bytes / Long.BYTES);
    }

    private static void scale(long[] y, long factor, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = y[i] * factor;
        }
    }
}
