/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;

/** The larger and the smaller of 8-bit integers, eight in a long: C2 has no vector form of a byte's maximum. */
final class ReductionPackedBytes extends Reduction {
    private static final long TOP_BITS = 0x8080808080808080L;

    private final long bias;
    private final long[] right;

    ReductionPackedBytes(DataType type, RedOp op) {
        final long[] x = new long[(BLOCK_BYTES + SLACK_BYTES) / Long.BYTES];
        final long[] y = new long[(BLOCK_BYTES + SLACK_BYTES) / Long.BYTES];
        super(type, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.bias = type == DataType.UINT8 ? 0 : TOP_BITS;
        this.right = y;
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        final long[] left = (long[]) into;
        final int n = bytes / Long.BYTES;
        if (op == RedOp.MAX) {
            max(left, right, bias, n);
        } else {
            min(left, right, bias, n);
        }
    }

    private static void max(long[] x, long[] y, long bias, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = y[i] ^ (x[i] ^ y[i]) & notLess(x[i] ^ bias, y[i] ^ bias);
        }
    }

    private static void min(long[] x, long[] y, long bias, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = x[i] ^ (x[i] ^ y[i]) & notLess(x[i] ^ bias, y[i] ^ bias);
        }
    }

    /** 0xFF in each byte of x that is not less, unsigned, than that of y: by the top bits, else by the other seven. */
    private static long notLess(long x, long y) {
        final long lowerBits = (x | TOP_BITS) - (y & ~TOP_BITS);
        final long bits = (x & ~y | ~(x ^ y) & lowerBits) & TOP_BITS;
        return (bits << 1) - (bits >>> 7);
    }
}
