/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** 8-bit integers, signed and unsigned, but for their order: see {@link ReductionPackedBytes}. */
final class ReductionBytes extends Reduction {
    private final byte[] right;
    private final byte[] quotients = new byte[256];

    ReductionBytes(DataType type, RedOp op, int nRanks) {
        final byte[] x = new byte[BLOCK_BYTES + SLACK_BYTES];
        final byte[] y = new byte[BLOCK_BYTES + SLACK_BYTES];
        super(type, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.right = y;
        for (int i = 0; i < quotients.length; i++) {
            quotients[i] = (byte) ((type == DataType.UINT8 ? i : (byte) i) / nRanks);
        }
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final byte[] left = (byte[]) into;
        switch (op) {
            case PROD -> product(left, right, bytes);
            case SUM -> sum(left, right, bytes);
            case AVG -> {
                sum(left, right, bytes);
                divide(left, quotients, bytes);
            }
            default -> throw new AssertionError(op);
        }
    }

    /** The loops below need hundreds of elements to be worth their prologue. */
    @Override
    void combineFew(RedOp op, Object into, int bytes) {
        final byte[] left = (byte[]) into;
        for (int i = 0; i < bytes; i++) {
            final int x = left[i];
            final int y = right[i];
            left[i] = (byte) switch (op) {
                case PROD -> x * y;
                case SUM -> x + y;
                case AVG -> quotients[x + y & 0xFF];
                default -> throw new AssertionError(op);
            };
        }
    }

    private static void sum(byte[] x, byte[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = (byte) (x[i] + y[i]);
        }
    }

    private static void product(byte[] x, byte[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = (byte) (x[i] * y[i]);
        }
    }

    private static void divide(byte[] x, byte[] quotients, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = quotients[x[i] & 0xFF];
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(right, (byte) factor, bytes);
    }

    private static void scale(byte[] y, byte factor, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = (byte) (y[i] * factor);
        }
    }
}
