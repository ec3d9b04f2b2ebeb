/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Values of any type, as the bits of a long. Integers are extended as their type says: so all of them but unsigned 64
 * bits are ordered, and divide, as longs do. Knows nothing of how the kernels compute: the data check relies on it.
 */
final class Numbers {
    private Numbers() {
    }

    static boolean isInteger(DataType type) {
        return !type.isFloatingPoint();
    }

    /** The bits that the type keeps. */
    static long narrow(DataType type, long bits) {
        return switch (type) {
            case INT8 -> (byte) bits;
            case UINT8, FLOAT8_E4M3, FLOAT8_E5M2 -> bits & 0xFF;
            case FLOAT16, BFLOAT16 -> bits & 0xFFFF;
            case INT32 -> (int) bits;
            case UINT32, FLOAT32 -> bits & 0xFFFF_FFFFL;
            case INT64, UINT64, FLOAT64 -> bits;
        };
    }

    /** Of a floating-point type; rounds to nearest even. */
    static long bits(DataType type, double value) {
        return switch (type) {
            case FLOAT16 -> Float.floatToFloat16((float) value) & 0xFFFF;
            case BFLOAT16 -> bfloat(Float.floatToRawIntBits((float) value));
            case FLOAT32 -> Float.floatToRawIntBits((float) value) & 0xFFFF_FFFFL;
            case FLOAT64 -> Double.doubleToRawLongBits(value);
            case FLOAT8_E4M3, FLOAT8_E5M2 -> Float8Numbers.bits(type, value);
            default -> throw new AssertionError(type);
        };
    }

    /** Of a floating-point type. */
    static double value(DataType type, long bits) {
        return switch (type) {
            case FLOAT16 -> Float.float16ToFloat((short) bits);
            case BFLOAT16 -> Float.intBitsToFloat((int) bits << 16);
            case FLOAT32 -> Float.intBitsToFloat((int) bits);
            case FLOAT64 -> Double.longBitsToDouble(bits);
            case FLOAT8_E4M3, FLOAT8_E5M2 -> Float8Numbers.value(type, bits);
            default -> throw new AssertionError(type);
        };
    }

    /** One step of a reduction; AVG adds here, and divides {@linkplain #finish at the end}. */
    static long combine(DataType type, RedOp op, long a, long b) {
        return isInteger(type) ? narrow(type, combineIntegers(type, op, a, b))
                : bits(type, combineFloats(op, value(type, a), value(type, b)));
    }

    /** What a rank puts in, as it is combined. */
    static long multiplied(DataType type, long bits, int factor) {
        return isInteger(type) ? narrow(type, bits * factor) : bits(type, value(type, bits) * factor);
    }

    /** What becomes of the combination of all ranks. */
    static long finish(DataType type, RedOp op, long bits, int nRanks) {
        if (op != RedOp.AVG) {
            return bits;
        }
        if (!isInteger(type)) {
            double value = value(type, bits);
            return bits(type, type == DataType.FLOAT64 ? value / nRanks : (float) value / nRanks);
        }
        return type == DataType.UINT64 ? Long.divideUnsigned(bits, nRanks) : narrow(type, bits / nRanks);
    }

    static void put(MemorySegment segment, DataType type, long index, long bits) {
        switch (type.sizeBytes()) {
            case 1 -> segment.set(ValueLayout.JAVA_BYTE, index, (byte) bits);
            case 2 -> segment.set(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2, (short) bits);
            case 4 -> segment.set(ValueLayout.JAVA_INT_UNALIGNED, index * 4, (int) bits);
            default -> segment.set(ValueLayout.JAVA_LONG_UNALIGNED, index * 8, bits);
        }
    }

    static long get(MemorySegment segment, DataType type, long index) {
        return narrow(type, switch (type.sizeBytes()) {
            case 1 -> segment.get(ValueLayout.JAVA_BYTE, index);
            case 2 -> segment.get(ValueLayout.JAVA_SHORT_UNALIGNED, index * 2);
            case 4 -> segment.get(ValueLayout.JAVA_INT_UNALIGNED, index * 4);
            default -> segment.get(ValueLayout.JAVA_LONG_UNALIGNED, index * 8);
        });
    }

    private static long combineIntegers(DataType type, RedOp op, long a, long b) {
        int order = type == DataType.UINT64 ? Long.compareUnsigned(a, b) : Long.compare(a, b);
        return switch (op) {
            case SUM, AVG -> a + b;
            case PROD -> a * b;
            case MAX -> order >= 0 ? a : b;
            case MIN -> order <= 0 ? a : b;
        };
    }

    private static double combineFloats(RedOp op, double a, double b) {
        return switch (op) {
            case SUM, AVG -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
        };
    }

    private static long bfloat(int floatBits) {
        return Integer.toUnsignedLong(floatBits + 0x7FFF + (floatBits >>> 16 & 1)) >> 16;
    }
}
