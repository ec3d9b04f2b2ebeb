/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** IEEE 754 binary64. */
final class ReductionDoubles extends Reduction {
    private final double divisor;
    private final double[] right;

    ReductionDoubles(RedOp op, int nRanks) {
        final double[] x = new double[(BLOCK_BYTES + SLACK_BYTES) / Double.BYTES];
        final double[] y = new double[(BLOCK_BYTES + SLACK_BYTES) / Double.BYTES];
        super(DataType.FLOAT64, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.divisor = nRanks;
        this.right = y;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final double[] left = (double[]) into;
        combine(op, left, right, divisor, bytes / Double.BYTES);
    }

    /** Combines {@code y} into {@code x}; AVG divides by {@code divisor} after the sum. */
    static void combine(RedOp op, double[] x, double[] y, double divisor, int n) {
        switch (op) {
            case SUM -> sum(x, y, n);
            case PROD -> product(x, y, n);
            case MAX -> max(x, y, n);
            case MIN -> min(x, y, n);
            case AVG -> average(x, y, divisor, n);
        }
    }

    private static void sum(double[] x, double[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] + y[i];
        }
    }

    private static void product(double[] x, double[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] * y[i];
        }
    }

    private static void max(double[] x, double[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.max(x[i], y[i]);
        }
    }

    private static void min(double[] x, double[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = Math.min(x[i], y[i]);
        }
    }

    private static void average(double[] x, double[] y, double divisor, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = (x[i] + y[i]) / divisor;
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(right, Double.longBitsToDouble(factor), bytes / Double.BYTES);
    }

    private static void scale(double[] y, double factor, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = y[i] * factor;
        }
    }
}
