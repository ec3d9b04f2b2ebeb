/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import static java.lang.Float.float16ToFloat;
import static java.lang.Float.floatToFloat16;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** IEEE 754 binary16, computed in binary32 and rounded once. */
final class ReductionHalves extends Reduction {
    private final float divisor;
    private final short[] right;
    private final float[] averages = new float[(BLOCK_BYTES + SLACK_BYTES) / Short.BYTES];

    ReductionHalves(RedOp op, int nRanks) {
        final short[] x = new short[(BLOCK_BYTES + SLACK_BYTES) / Short.BYTES];
        final short[] y = new short[(BLOCK_BYTES + SLACK_BYTES) / Short.BYTES];
        super(DataType.FLOAT16, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.divisor = nRanks;
        this.right = y;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final short[] left = (short[]) into;
        final int n = bytes / Short.BYTES;
        switch (op) {
            case SUM -> sum(left, right, n);
            case PROD -> product(left, right, n);
            case MAX -> max(left, right, n);
            case MIN -> min(left, right, n);
            case AVG -> {
                average(left, right, divisor, averages, n);
                narrow(averages, left, n);
            }
        }
    }

    private static void sum(short[] x, short[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = floatToFloat16(float16ToFloat(x[i]) + float16ToFloat(y[i]));
        }
    }

    private static void product(short[] x, short[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = floatToFloat16(float16ToFloat(x[i]) * float16ToFloat(y[i]));
        }
    }

    private static void max(short[] x, short[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = floatToFloat16(Math.max(float16ToFloat(x[i]), float16ToFloat(y[i])));
        }
    }

    private static void min(short[] x, short[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = floatToFloat16(Math.min(float16ToFloat(x[i]), float16ToFloat(y[i])));
        }
    }

    private static void average(short[] x, short[] y, float divisor, float[] averages, int n) {
        for (int i = 0; i < n; i++) {
            averages[i] = (float16ToFloat(x[i]) + float16ToFloat(y[i])) / divisor;
        }
    }

    private static void narrow(float[] averages, short[] x, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = floatToFloat16(averages[i]);
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(right, float16ToFloat((short) factor), bytes / Short.BYTES);
    }

    private static void scale(short[] y, float factor, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = floatToFloat16(float16ToFloat(y[i]) * factor);
        }
    }
}
