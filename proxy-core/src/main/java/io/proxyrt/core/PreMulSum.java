/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The sum of what ranks put in, each of which multiplies its own by its own scalar first: NCCL's
 * {@code ncclRedOpCreatePreMulSum}. A product is rounded to the type before it is added; integers wrap. Ranks do not
 * compare their scalars. Immutable; any thread.
 */
public final class PreMulSum implements ReduceOp {
    /** The least power of two that a conversion to long does not keep, though it comes back from there as it was. */
    private static final double BEYOND_LONG = 0x1p63;

    private final DataType type;
    private final long bits;
    private final MemorySegment memory;

    private PreMulSum(DataType type, long bits, MemorySegment memory) {
        this.type = type;
        this.bits = bits;
        this.memory = memory;
    }

    /**
     * By a number.
     *
     * @param type   of the elements
     * @param scalar is rounded to it; of integers a whole number, and one that a long can be
     * @return for elements of that type alone
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if integers were to be multiplied by anything else
     */
    public static PreMulSum of(DataType type, double scalar) {
        require(type, "type");
        if (type.isFloatingPoint()) {
            return new PreMulSum(type, type.toBits(scalar), MemorySegment.NULL);
        }
        if ((long) scalar != scalar || scalar == BEYOND_LONG) {
            throw refused(scalar + " is no scalar for " + type + ", whose elements are whole numbers; one beyond a long"
                    + " is given by its bits, as a long");
        }
        return of(type, (long) scalar);
    }

    /**
     * By a whole number.
     *
     * @param type   of the elements
     * @param scalar is rounded to it; of integers as many of its low bits as the type has
     * @return for elements of that type alone
     */
    public static PreMulSum of(DataType type, long scalar) {
        require(type, "type");
        return new PreMulSum(type, type.isFloatingPoint() ? type.toBits(scalar) : scalar, MemorySegment.NULL);
    }

    /**
     * By what memory holds when the operation runs, which may be after work that was launched before it.
     *
     * @param type   of the elements, and of the scalar
     * @param scalar one element, reached as buffers are, and no part of the output; stays the caller's, and valid until
     *               the operation is complete
     * @return for elements of that type alone
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the memory is smaller than an element
     */
    public static PreMulSum at(DataType type, MemorySegment scalar) {
        require(type, "type");
        require(scalar, "scalar");
        if (scalar.byteSize() < type.sizeBytes()) {
            throw refused("scalar has " + scalar.byteSize() + " bytes, an element of " + type + " has "
                    + type.sizeBytes());
        }
        return new PreMulSum(type, 0, scalar);
    }

    private static void require(Object value, String name) {
        if (value == null) {
            throw refused(name + " is null");
        }
    }

    private static ProxyException refused(String why) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, why);
    }

    /**
     * What it multiplies.
     *
     * @return the type of the elements
     */
    public DataType type() {
        return type;
    }

    /**
     * Where the scalar is.
     *
     * @return {@link MemorySegment#NULL} if it was given as a number
     */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * Whether the scalar is in memory.
     *
     * @return false if it was given as a number
     */
    public boolean isInMemory() {
        return memory.byteSize() > 0;
    }

    /**
     * The scalar, as it is now.
     *
     * @return the bits of an element, those above it of no meaning
     */
    public long bits() {
        if (!isInMemory()) {
            return bits;
        }
        return switch (type.sizeBytes()) {
            case 1 -> memory.get(ValueLayout.JAVA_BYTE, 0);
            case 2 -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, 0);
            case 4 -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0);
            default -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
        };
    }

    /** {@inheritDoc} As nccl-tests says it. */
    @Override
    public String label() {
        return "mulsum";
    }

    /** {@return for people} */
    @Override
    public String toString() {
        return "PREMULSUM";
    }
}
