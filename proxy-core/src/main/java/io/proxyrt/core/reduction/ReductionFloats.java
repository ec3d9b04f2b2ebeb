/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** IEEE 754 binary32. */
final class ReductionFloats extends Reduction {
    private final float divisor;
    private final float[] right;

    ReductionFloats(RedOp op, int nRanks) {
        final float[] x = new float[(BLOCK_BYTES + SLACK_BYTES) / Float.BYTES];
        final float[] y = new float[(BLOCK_BYTES + SLACK_BYTES) / Float.BYTES];
        super(DataType.FLOAT32, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.divisor = nRanks;
        this.right = y;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final float[] left = (float[]) into;
        combine(op, left, right, divisor, bytes / Float.BYTES);
    }

    /** Combines {@code y} into {@code x}; AVG divides by {@code divisor} after the sum. */
    static void combine(RedOp op, float[] x, float[] y, float divisor, int n) {
        switch (op) {
            case SUM -> sum(x, y, n);
            case PROD -> product(x, y, n);
            case MAX -> max(x, y, n);
            case MIN -> min(x, y, n);
            case AVG -> average(x, y, divisor, n);
        }
    }

    private static void sum(float[] x, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] + y[i];
        }
    }

    private static void product(float[] x, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] * y[i];
        }
    }

    private static void max(float[] x, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.max(x[i], y[i]);
        }
    }

    private static void min(float[] x, float[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.min(x[i], y[i]);
        }
    }

    private static void average(float[] x, float[] y, float divisor, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = (x[i] + y[i]) / divisor;
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(right, Float.intBitsToFloat((int) factor), bytes / Float.BYTES);
    }

    /** Multiplies {@code y}. */
    static void scale(float[] y, float factor, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = y[i] * factor;
        }
    }
}
