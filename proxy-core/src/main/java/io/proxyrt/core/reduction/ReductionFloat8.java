/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Floating-point numbers of 8 bits, computed in binary32 and rounded once: by tables of all pairs. The processor has no
 * such arithmetic, and what an element takes without it is more than a load.
 */
final class ReductionFloat8 extends Reduction {
    private static final int VALUES = 1 << Byte.SIZE;
    private static final RedOp[] OPS = RedOp.values();
    /** By type and operator, made with the first reduction that needs it; those of averages depend on the ranks. */
    static final AtomicReferenceArray<byte[]> PAIRS =
            new AtomicReferenceArray<>(DataType.values().length * OPS.length);

    private final DataType type;
    private final byte[] step;
    private final byte[] last;
    private final byte[] right;
    /** Null unless it is scaling. */
    private byte[] products;

    ReductionFloat8(DataType type, RedOp op, int nRanks) {
        final byte[] x = new byte[BLOCK_BYTES + SLACK_BYTES];
        final byte[] y = new byte[BLOCK_BYTES + SLACK_BYTES];
        super(type, op, MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        this.type = type;
        this.step = pairs(type, op == RedOp.AVG ? RedOp.SUM : op);
        this.last = op == RedOp.AVG ? compute(type, op, nRanks) : step;
        this.right = y;
    }

    private static byte[] pairs(DataType type, RedOp op) {
        final int index = type.ordinal() * OPS.length + op.ordinal();
        final byte[] known = PAIRS.get(index);
        if (known != null) {
            return known;
        }
        final byte[] made = compute(type, op, 1);
        PAIRS.set(index, made);
        return made;
    }

    private static byte[] compute(DataType type, RedOp op, float divisor) {
        final byte[] pairs = new byte[VALUES * VALUES];
        for (int i = 0; i < pairs.length; i++) {
            final float x = (float) type.fromBits(i >> Byte.SIZE);
            final float y = (float) type.fromBits(i);
            pairs[i] = (byte) type.toBits(switch (op) {
                case SUM -> x + y;
                case PROD -> x * y;
                case MAX -> Math.max(x, y);
                case MIN -> Math.min(x, y);
                case AVG -> (x + y) / divisor;
            });
        }
        return pairs;
    }

    @Override
    Reduction scaling() {
        products = pairs(type, RedOp.PROD);
        return super.scaling();
    }

    @Override
    void combine(RedOp op, Object into, int bytes) {
        lookUp(op == RedOp.AVG ? last : step, (byte[]) into, right, bytes);
    }

    /** A loop that has no vector form needs no grain. */
    @Override
    void combineFew(RedOp op, Object into, int bytes) {
        combine(op, into, bytes);
    }

    private static void lookUp(byte[] pairs, byte[] x, byte[] y, int n) {
        for (int i = 0; i < n; i++) {
            x[i] = pairs[(x[i] & 0xFF) << Byte.SIZE | y[i] & 0xFF];
        }
    }

    @Override
    void multiply(long factor, int bytes) {
        scale(products, (int) (factor & 0xFF) << Byte.SIZE, right, bytes);
    }

    private static void scale(byte[] products, int row, byte[] y, int n) {
        for (int i = 0; i < n; i++) {
            y[i] = products[row | y[i] & 0xFF];
        }
    }
}
