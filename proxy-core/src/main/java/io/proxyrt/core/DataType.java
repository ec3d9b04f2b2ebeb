/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.util.Locale;

/** Element types, numbered as {@code ncclDataType_t}; named on the command line as nccl-tests names them. */
public enum DataType {
    /** Signed, 8 bits. */
    INT8(1),
    /** Unsigned, 8 bits. */
    UINT8(1),
    /** Signed, 32 bits. */
    INT32(4),
    /** Unsigned, 32 bits. */
    UINT32(4),
    /** Signed, 64 bits. */
    INT64(8),
    /** Unsigned, 64 bits. */
    UINT64(8),
    /** IEEE 754 binary16; nccl-tests says {@code half}. */
    FLOAT16(2),
    /** IEEE 754 binary32; nccl-tests says {@code float}. */
    FLOAT32(4),
    /** IEEE 754 binary64; nccl-tests says {@code double}. */
    FLOAT64(8),
    /** The upper half of a binary32. */
    BFLOAT16(2),
    /**
     * The Open Compute Project's 8 bits with 4 of exponent and 3 of mantissa: up to 448, no infinity, one NaN for each
     * sign; nccl-tests says {@code f8e4m3}. What is rounded to it is never more than the largest number, as of CUDA's
     * {@code __NV_SATFINITE}.
     */
    FLOAT8_E4M3(1),
    /**
     * The Open Compute Project's 8 bits with 5 of exponent and 2 of mantissa: up to 57344, with infinities; nccl-tests
     * says {@code f8e5m2}. What is rounded to it is never more than the largest number, as of CUDA's
     * {@code __NV_SATFINITE}, an infinity neither.
     */
    FLOAT8_E5M2(1);

    private static final DataType[] BY_CODE = values();

    private final int sizeBytes;

    DataType(int sizeBytes) {
        this.sizeBytes = sizeBytes;
    }

    /**
     * The size of one element.
     *
     * @return bytes
     */
    public int sizeBytes() {
        return sizeBytes;
    }

    /**
     * The name nccl-tests prints and takes.
     *
     * @return lower case
     */
    public String label() {
        return switch (this) {
            case FLOAT16 -> "half";
            case FLOAT32 -> "float";
            case FLOAT64 -> "double";
            case FLOAT8_E4M3 -> "f8e4m3";
            case FLOAT8_E5M2 -> "f8e5m2";
            default -> name().toLowerCase(Locale.ROOT);
        };
    }

    /**
     * Whether its elements are floating-point numbers.
     *
     * @return false for integers
     */
    public boolean isFloatingPoint() {
        return ordinal() >= FLOAT16.ordinal();
    }

    /**
     * Rounds a number to an element of a floating-point type: to nearest, ties to even.
     *
     * @param value any; what is too large becomes an infinity, or the largest number of 8 bits
     * @return the element's bits, those above it 0
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the type is one of integers
     */
    public long toBits(double value) {
        return switch (this) {
            case FLOAT16 -> FloatFormat.HALF.encode(value);
            case FLOAT32 -> Integer.toUnsignedLong(Float.floatToRawIntBits((float) value));
            case FLOAT64 -> Double.doubleToRawLongBits(value);
            case BFLOAT16 -> FloatFormat.BFLOAT.encode(value);
            case FLOAT8_E4M3 -> FloatFormat.E4M3.encode(value);
            case FLOAT8_E5M2 -> FloatFormat.E5M2.encode(value);
            default -> throw notFloatingPoint();
        };
    }

    /**
     * The number that an element of a floating-point type is.
     *
     * @param bits of the element; those above it do not matter
     * @return exactly that
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the type is one of integers
     */
    public double fromBits(long bits) {
        return switch (this) {
            case FLOAT16 -> Float.float16ToFloat((short) bits);
            case FLOAT32 -> Float.intBitsToFloat((int) bits);
            case FLOAT64 -> Double.longBitsToDouble(bits);
            case BFLOAT16 -> Float.intBitsToFloat((int) bits << Short.SIZE);
            case FLOAT8_E4M3 -> FloatFormat.E4M3.decodeFinite(bits);
            case FLOAT8_E5M2 -> Float.float16ToFloat((short) (bits << Byte.SIZE));
            default -> throw notFloatingPoint();
        };
    }

    private ProxyException notFloatingPoint() {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, this + " is no type of floating-point numbers");
    }

    /**
     * The type with this code.
     *
     * @param code as in a posted op
     * @return the type
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is none
     */
    public static DataType of(int code) {
        if (code < 0 || code >= BY_CODE.length) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no data type has code " + code);
        }
        return BY_CODE[code];
    }
}
