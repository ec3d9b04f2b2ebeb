/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;

/**
 * What one reduction must give, the slow way: integers as {@link BigInteger}, the others as doubles rounded to the
 * precision of the type by arithmetic instead of by its bits.
 */
final class ReductionOracle {
    private ReductionOracle() {
    }

    /** The element's value: a {@link BigInteger} or a {@link Double}, so that equals() tells zeros apart, not NaNs. */
    static Object value(DataType type, MemorySegment segment, long offset) {
        return switch (type) {
            case INT8 -> BigInteger.valueOf(segment.get(JAVA_BYTE, offset));
            case UINT8 -> BigInteger.valueOf(Byte.toUnsignedInt(segment.get(JAVA_BYTE, offset)));
            case INT32 -> BigInteger.valueOf(segment.get(JAVA_INT_UNALIGNED, offset));
            case UINT32 -> BigInteger.valueOf(Integer.toUnsignedLong(segment.get(JAVA_INT_UNALIGNED, offset)));
            case INT64 -> BigInteger.valueOf(segment.get(JAVA_LONG_UNALIGNED, offset));
            case UINT64 -> new BigInteger(Long.toUnsignedString(segment.get(JAVA_LONG_UNALIGNED, offset)));
            case FLOAT8_E4M3 -> e4m3(segment.get(JAVA_BYTE, offset));
            case FLOAT8_E5M2 -> decode((short) (segment.get(JAVA_BYTE, offset) << Byte.SIZE), 10, 15);
            case FLOAT16 -> decode(segment.get(JAVA_SHORT_UNALIGNED, offset), 10, 15);
            case BFLOAT16 -> decode(segment.get(JAVA_SHORT_UNALIGNED, offset), 7, 127);
            case FLOAT32 -> (double) segment.get(JAVA_FLOAT_UNALIGNED, offset);
            case FLOAT64 -> segment.get(JAVA_DOUBLE_UNALIGNED, offset);
        };
    }

    static Object reduce(DataType type, RedOp op, Object a, Object b, int nRanks, boolean last) {
        final int divisor = op == RedOp.AVG && last ? nRanks : 1;
        return a instanceof BigInteger x
                ? reduceIntegers(type, op, x, (BigInteger) b, BigInteger.valueOf(divisor))
                : (Object) reduceFloats(type, op, (double) a, (double) b, divisor);
    }

    private static BigInteger reduceIntegers(DataType type, RedOp op, BigInteger a, BigInteger b, BigInteger divisor) {
        return switch (op) {
            case SUM, AVG -> wrap(type, a.add(b)).divide(divisor);
            case PROD -> wrap(type, a.multiply(b));
            case MAX -> a.max(b);
            case MIN -> a.min(b);
        };
    }

    private static BigInteger wrap(DataType type, BigInteger value) {
        final int bits = 8 * type.sizeBytes();
        final BigInteger low = value.mod(BigInteger.TWO.pow(bits));
        return isSigned(type) && low.testBit(bits - 1) ? low.subtract(BigInteger.TWO.pow(bits)) : low;
    }

    private static boolean isSigned(DataType type) {
        return type == DataType.INT8 || type == DataType.INT32 || type == DataType.INT64;
    }

    private static double reduceFloats(DataType type, RedOp op, double a, double b, int divisor) {
        final double exact = switch (op) {
            case SUM -> a + b;
            case PROD -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            case AVG -> type == DataType.FLOAT64 ? (a + b) / divisor : (float) ((float) (a + b) / (double) divisor);
        };
        return switch (type) {
            case FLOAT16 -> round(exact, 10, 15);
            case BFLOAT16 -> round((float) exact, 7, 127);
            case FLOAT32 -> (float) exact;
            case FLOAT8_E4M3 -> saturate((float) exact, 3, 7, 448);
            case FLOAT8_E5M2 -> saturate((float) exact, 2, 15, 57_344);
            default -> exact;
        };
    }

    private static double saturate(double value, int mantissaBits, int bias, double most) {
        return Double.isNaN(value) ? value
                : Math.clamp(roundFinite(Math.clamp(value, -2 * most, 2 * most), mantissaBits, bias), -most, most);
    }

    /** Without infinities: the last exponent has numbers, too, and the last magnitude alone is NaN. */
    private static double e4m3(byte bits) {
        final int magnitude = bits & 0x7F;
        final double fraction = (magnitude & 7) / 8.0;
        final double value = magnitude == 0x7F ? Double.NaN
                : magnitude < 8 ? Math.scalb(fraction, -6) : Math.scalb(1 + fraction, (magnitude >> 3) - 7);
        return bits < 0 ? -value : value;
    }

    private static double decode(short bits, int mantissaBits, int bias) {
        final int magnitude = bits & 0x7FFF;
        final int exponent = magnitude >>> mantissaBits;
        final int mantissa = magnitude & (1 << mantissaBits) - 1;
        final double sign = bits < 0 ? -1 : 1;
        if (exponent == 2 * bias + 1) {
            return mantissa == 0 ? sign * Double.POSITIVE_INFINITY : Double.NaN;
        }
        final int implicit = exponent == 0 ? 0 : 1 << mantissaBits;
        return sign * Math.scalb((double) (implicit + mantissa), Math.max(exponent, 1) - bias - mantissaBits);
    }

    /** To the nearest number with this mantissa, ties to even, subnormal below and infinite beyond the exponents. */
    private static double round(double value, int mantissaBits, int bias) {
        if (Double.isNaN(value) || Double.isInfinite(value) || value == 0) {
            return value;
        }
        final double rounded = roundFinite(value, mantissaBits, bias);
        return Math.abs(rounded) < Math.scalb(1.0, bias + 1) ? rounded : Math.copySign(Double.POSITIVE_INFINITY, value);
    }

    private static double roundFinite(double value, int mantissaBits, int bias) {
        final int scale = Math.max(Math.getExponent(value), 1 - bias) - mantissaBits;
        return Math.scalb(Math.rint(Math.scalb(value, -scale)), scale);
    }
}
