/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;

/** Elements of which every type has sums and products without rounding, so that no order of a reduction is better. */
public final class CollNetValues {
    private static final int KINDS = 3;
    private static final int BFLOAT_SHIFT = 16;

    private CollNetValues() {
    }

    /** A participant's element: 1, 2 or 3, of which four have a product that the type can hold, or of 8 bits 1 or 2. */
    static long value(DataType type, int rank, long element) {
        long kind = (element * 7 + element / 5 + rank * 2L) % KINDS;
        return 1 + (type == DataType.FLOAT8_E4M3 || type == DataType.FLOAT8_E5M2 ? kind % 2 : kind);
    }

    /** What the elements of the first so many participants are reduced to. */
    static double reduced(DataType type, RedOp op, int nRanks, long element) {
        LongStream values = LongStream.range(0, nRanks).map(rank -> value(type, (int) rank, element));
        return switch (op) {
            case SUM -> values.sum();
            case PROD -> values.reduce(1, (a, b) -> a * b);
            case MAX -> values.max().orElseThrow();
            case MIN -> values.min().orElseThrow();
            case AVG -> values.sum() / (double) nRanks;
        };
    }

    /**
     * Fills memory with a participant's elements.
     *
     * @param memory to its end
     * @param type   of the elements
     * @param rank   of the participant
     * @param first  number of the first of them
     */
    public static void fill(MemorySegment memory, DataType type, int rank, long first) {
        for (long i = 0; i < memory.byteSize() / type.sizeBytes(); i++) {
            put(memory, type, i, value(type, rank, first + i));
        }
    }

    /**
     * Asserts that memory has what elements are reduced to.
     *
     * @param memory to its end
     * @param type   of the elements
     * @param op     the reduction
     * @param nRanks participants
     * @param first  number of the first element
     */
    public static void assertReduced(MemorySegment memory, DataType type, RedOp op, int nRanks, long first) {
        MemorySegment one = MemorySegment.ofArray(new byte[type.sizeBytes()]);
        for (long i = 0; i < memory.byteSize() / type.sizeBytes(); i++) {
            put(one, type, 0, reduced(type, op, nRanks, first + i));
            long element = i;
            assertEquals(-1, one.mismatch(memory.asSlice(i * type.sizeBytes(), type.sizeBytes())),
                    () -> "element " + element + " of " + type.label() + " " + op.label());
        }
    }

    /** Integers truncate a mean. */
    private static void put(MemorySegment memory, DataType type, long element, double value) {
        long at = element * type.sizeBytes();
        switch (type) {
            case INT8, UINT8 -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) value);
            case INT32, UINT32 -> memory.set(ValueLayout.JAVA_INT_UNALIGNED, at, (int) value);
            case INT64, UINT64 -> memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, (long) value);
            case FLOAT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16((float) value));
            case FLOAT32 -> memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, (float) value);
            case FLOAT64 -> memory.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at, value);
            case BFLOAT16 -> memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, at,
                    (short) (Float.floatToRawIntBits((float) value) >>> BFLOAT_SHIFT));
            case FLOAT8_E4M3, FLOAT8_E5M2 -> memory.set(ValueLayout.JAVA_BYTE, at, (byte) type.toBits(value));
        }
    }
}
