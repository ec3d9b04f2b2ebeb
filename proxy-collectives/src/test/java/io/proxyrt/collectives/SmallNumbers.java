/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.proxyrt.core.DataType;
import java.lang.foreign.MemorySegment;

/** Numbers that every type has exactly. */
final class SmallNumbers {
    private SmallNumbers() {
    }

    static void put(DataType type, MemorySegment memory, long index, int value) {
        long at = index * type.sizeBytes();
        switch (type) {
            case INT8, UINT8 -> memory.set(JAVA_BYTE, at, (byte) value);
            case INT32, UINT32 -> memory.set(JAVA_INT_UNALIGNED, at, value);
            case INT64, UINT64 -> memory.set(JAVA_LONG_UNALIGNED, at, value);
            case FLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(value));
            case FLOAT32 -> memory.set(JAVA_FLOAT_UNALIGNED, at, value);
            case FLOAT64 -> memory.set(JAVA_DOUBLE_UNALIGNED, at, value);
            case BFLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, at, (short) (Float.floatToIntBits(value) >>> 16));
        }
    }

    static double get(DataType type, MemorySegment memory, long index) {
        long at = index * type.sizeBytes();
        return switch (type) {
            case INT8, UINT8 -> memory.get(JAVA_BYTE, at);
            case INT32, UINT32 -> memory.get(JAVA_INT_UNALIGNED, at);
            case INT64, UINT64 -> memory.get(JAVA_LONG_UNALIGNED, at);
            case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, at));
            case FLOAT32 -> memory.get(JAVA_FLOAT_UNALIGNED, at);
            case FLOAT64 -> memory.get(JAVA_DOUBLE_UNALIGNED, at);
            case BFLOAT16 -> Float.intBitsToFloat(memory.get(JAVA_SHORT_UNALIGNED, at) << 16);
        };
    }
}
