/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.device.Copier;
import java.lang.foreign.MemorySegment;

/**
 * Element-wise {@code out[i] = a[i] op b[i]} over off-heap memory, for one data type and one operator.
 *
 * <p>Values are in native byte order. Offsets are in bytes; neither they nor the segments need any alignment. A
 * destination may be exactly one of the operands; any other overlap is a caller's error.
 *
 * <p>Work is done block by block in arrays that stay in the first-level cache, because C2 of JDK 25 vectorises a loop
 * over arrays but not this one over segments: it cannot exclude that the segments overlap, and a float in a segment is
 * an int that is loaded and moved, which has no vector form.
 *
 * <p>Not thread-safe: one per kernel. Allocates nothing once made.
 */
public abstract class Reduction {
    /** Two operands of this size and what is around them fit the first-level cache. */
    public static final int BLOCK_BYTES = 8 * 1024;
    /** Added to what is combined, for a loop's prologue: a grain is then enough to enter the unrolled body after it. */
    static final int SLACK_BYTES = 64;
    /**
     * What is combined is rounded up to this much. Small operations would otherwise teach the loops' profiles a trip
     * count not worth unrolling for, and the large ones after them would run scalar for good.
     */
    private static final int GRAIN_BYTES = 1024;
    private static final int FEW_BYTES = 64;

    private final RedOp op;
    private final int elementBytes;
    private final int blockBytes;
    private final MemorySegment left;
    private final Object leftArray;
    private final MemorySegment right;
    private MemorySegment a = MemorySegment.NULL;
    private MemorySegment b = MemorySegment.NULL;
    private long aOffset;
    private long bOffset;
    private boolean isScaling;
    private long scalar;

    /** Stages operands in these two arrays, or in native memory: blocks, multiples of the grain, and the slack. */
    Reduction(DataType type, RedOp op, MemorySegment left, MemorySegment right) {
        this.op = op;
        this.elementBytes = type.sizeBytes();
        this.blockBytes = (int) left.byteSize() - SLACK_BYTES;
        this.left = left;
        this.leftArray = left.heapBase().orElse(null);
        this.right = right;
    }

    /**
     * The reduction for a type and an operator.
     *
     * @param type   of the elements
     * @param op     how to combine them
     * @param nRanks what {@link RedOp#AVG} divides by; at least 1
     * @return for one thread at a time
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for fewer ranks
     */
    public static Reduction of(DataType type, ReduceOp op, int nRanks) {
        if (nRanks < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "cannot reduce over " + nRanks + " ranks");
        }
        return switch (op) {
            case RedOp known -> known(type, known, nRanks);
            case PreMulSum ignored -> known(type, RedOp.SUM, nRanks).scaling();
            case UserRedOp ignored -> new ReductionByUser(type);
        };
    }

    private static Reduction known(DataType type, RedOp op, int nRanks) {
        return switch (type) {
            case INT8, UINT8 -> op == RedOp.MAX || op == RedOp.MIN
                    ? new ReductionPackedBytes(type, op)
                    : new ReductionBytes(type, op, nRanks);
            case INT32, UINT32 -> new ReductionInts(type, op, nRanks);
            case INT64, UINT64 -> new ReductionLongs(type, op, nRanks);
            case FLOAT16 -> new ReductionHalves(op, nRanks);
            case FLOAT32 -> new ReductionFloats(op, nRanks);
            case FLOAT64 -> new ReductionDoubles(op, nRanks);
            case BFLOAT16 -> new ReductionBfloats(op, nRanks);
            case FLOAT8_E4M3, FLOAT8_E5M2 -> new ReductionFloat8(type, op, nRanks);
        };
    }

    /** Makes it one that {@linkplain #multiply multiplies}; whatever that takes is made here. */
    Reduction scaling() {
        isScaling = true;
        return this;
    }

    /**
     * Takes from the operator what differs from one of its kind to another: the scalar, as it is now, or the function.
     * Before the first reduction of an operation.
     *
     * @param current as this reduction was made for
     * @return this
     */
    public Reduction begin(ReduceOp current) {
        if (current instanceof PreMulSum scaled) {
            scalar = scaled.bits();
        }
        return this;
    }

    /**
     * Whether the second operand, a rank's own input, is multiplied first.
     *
     * @return true of {@link PreMulSum} alone
     */
    public final boolean isScaling() {
        return isScaling;
    }

    /**
     * Multiplies a rank's own input that nothing is reduced with; only if it {@linkplain #isScaling is to be}.
     *
     * @param in        the input
     * @param inOffset  where it begins, in bytes
     * @param out       the destination; may be exactly the input
     * @param outOffset where it begins, in bytes
     * @param count     elements
     */
    public final void scale(MemorySegment in, long inOffset, MemorySegment out, long outOffset, long count) {
        assert isScaling : op;
        final long bytes = count * elementBytes;
        for (long at = 0; at < bytes; at += blockBytes) {
            final int n = (int) Math.min(blockBytes, bytes - at);
            MemorySegment.copy(in, inOffset + at, right, 0, n);
            multiply(scalar, staged(n));
            MemorySegment.copy(right, 0, out, outOffset + at, n);
        }
    }

    /** {@return the size of an element, in bytes} */
    public final int elementBytes() {
        return elementBytes;
    }

    /**
     * Sets what is reduced from here on.
     *
     * @param a       one operand
     * @param aOffset where it begins, in bytes
     * @param b       the other one; a rank's own input, where that is multiplied first
     * @param bOffset where it begins, in bytes
     * @return this
     */
    public final Reduction operands(MemorySegment a, long aOffset, MemorySegment b, long bOffset) {
        this.a = a;
        this.aOffset = aOffset;
        this.b = b;
        this.bOffset = bOffset;
        return this;
    }

    /**
     * Reduces the operands into one destination.
     *
     * @param out       the destination
     * @param outOffset where it begins, in bytes
     * @param count     elements
     * @param last      whether this is the last of the {@code nRanks - 1} reductions: the one that divides if the
     *                  operator is {@link RedOp#AVG}
     */
    public final void reduce(MemorySegment out, long outOffset, long count, boolean last) {
        reduce(Copier.JVM, out, outOffset, count, last);
    }

    /**
     * The same, into memory that another CPU has in its cache.
     *
     * @param copier    how data get there
     * @param out       the destination
     * @param outOffset where it begins, in bytes
     * @param count     elements
     * @param last      as above
     */
    public final void reduce(Copier copier, MemorySegment out, long outOffset, long count, boolean last) {
        final long bytes = count * elementBytes;
        for (long at = 0; at < bytes; at += blockBytes) {
            final int n = (int) Math.min(blockBytes, bytes - at);
            combineBlock(at, n, last);
            copier.copyBlock(left, out, outOffset + at, n);
        }
    }

    /**
     * The same, into two destinations, which must not overlap each other; the second is this CPU's own.
     *
     * @param copier     how data get to the first
     * @param out        the first
     * @param outOffset  where it begins, in bytes
     * @param out2       the second
     * @param out2Offset where it begins, in bytes
     * @param count      elements
     * @param last       as above
     */
    public final void reduce(Copier copier, MemorySegment out, long outOffset, MemorySegment out2, long out2Offset,
            long count,
            boolean last) {
        final long bytes = count * elementBytes;
        for (long at = 0; at < bytes; at += blockBytes) {
            final int n = (int) Math.min(blockBytes, bytes - at);
            combineBlock(at, n, last);
            copier.copyBlock(left, out, outOffset + at, n);
            MemorySegment.copy(left, 0, out2, out2Offset + at, n);
        }
    }

    private void combineBlock(long at, int bytes, boolean last) {
        MemorySegment.copy(a, aOffset + at, left, 0, bytes);
        MemorySegment.copy(b, bOffset + at, right, 0, bytes);
        if (isScaling) {
            multiply(scalar, staged(bytes));
        }
        combineStaged(op != RedOp.AVG || last ? op : RedOp.SUM, bytes);
    }

    /** Combines the operands that were staged. */
    void combineStaged(RedOp step, int bytes) {
        combineStaged(step, leftArray, bytes);
    }

    private void combineStaged(RedOp step, Object into, int bytes) {
        if (bytes <= FEW_BYTES) {
            combineFew(step, into, bytes);
        } else {
            combine(step, into, staged(bytes));
        }
    }

    private static int staged(int bytes) {
        return (bytes + GRAIN_BYTES - 1 & -GRAIN_BYTES) + SLACK_BYTES;
    }

    /** Most bytes of {@link #accumulate}. */
    final int blockBytes() {
        return blockBytes;
    }

    /** An array as those in which operands are staged: of the same class, and as long. */
    final MemorySegment newBlock() {
        return switch (leftArray) {
            case byte[] bytes -> MemorySegment.ofArray(new byte[bytes.length]);
            case short[] shorts -> MemorySegment.ofArray(new short[shorts.length]);
            case int[] ints -> MemorySegment.ofArray(new int[ints.length]);
            case long[] longs -> MemorySegment.ofArray(new long[longs.length]);
            case float[] floats -> MemorySegment.ofArray(new float[floats.length]);
            case double[] doubles -> MemorySegment.ofArray(new double[doubles.length]);
            default -> throw new AssertionError(leftArray.getClass());
        };
    }

    /** Combines an operand into the array of a {@linkplain #newBlock block}. */
    final void accumulate(Object into, MemorySegment in, long offset, int bytes) {
        assert op != RedOp.AVG : "who accumulates divides by itself";
        MemorySegment.copy(in, offset, right, 0, bytes);
        combineStaged(op, into, bytes);
    }

    /**
     * Combines the right operand's array into another, the left's as a rule. Runs over stale elements past the staged
     * ones, which are not read.
     *
     * @param op    AVG: sum and divide
     * @param into  an array as the left's
     * @param bytes of each array; grains and the slack
     */
    abstract void combine(RedOp op, Object into, int bytes);

    /** As {@link #combine} for at most 64 bytes. An override has loops of its own, which spares it the grain. */
    void combineFew(RedOp op, Object into, int bytes) {
        combine(op, into, GRAIN_BYTES + SLACK_BYTES);
    }

    /**
     * Multiplies the right operand's array, as {@link #combine} combines it.
     *
     * @param factor the bits of an element
     * @param bytes  of the array; grains and the slack
     */
    void multiply(long factor, int bytes) {
        throw new AssertionError("only sums are of what was multiplied");
    }
}
