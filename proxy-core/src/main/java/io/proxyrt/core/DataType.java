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
    BFLOAT16(2);

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
            default -> name().toLowerCase(Locale.ROOT);
        };
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
