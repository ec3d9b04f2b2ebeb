/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;

/**
 * A piece of a device's memory. The methods but {@link #close()} neither block nor allocate.
 */
public interface DeviceMemory extends AutoCloseable {
    /**
     * The memory, for the CPU.
     *
     * @return valid until {@link #close()}, from any thread
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_USAGE} if it is not {@link
     *                                        #isHostAccessible()}
     */
    MemorySegment segment();

    /**
     * Where the memory is and how much, in the form in which collectives take buffers. Unlike {@link #segment()} it is
     * there for every memory; unless that is {@link #isHostAccessible()}, its address is the device's, and
     * reading or writing it by the CPU crashes the process.
     *
     * @return {@link #bytes()} at {@link #address()}, valid until {@link #close()}
     */
    default MemorySegment range() {
        return segment();
    }

    /**
     * Zeroes a part. Blocks until it is done.
     *
     * @param offset in bytes
     * @param bytes  how many, from 0
     */
    default void zero(long offset, long bytes) {
        MemorySegment part = segment().asSlice(offset, bytes);
        part.fill((byte) 0);
    }

    /**
     * Names the memory within its device; never given twice.
     *
     * @return an id, no address
     */
    long id();

    /**
     * Its size.
     *
     * @return bytes, greater than 0
     */
    default long bytes() {
        return segment().byteSize();
    }

    /**
     * Where kernels find it, for their arguments. It means nothing in another process.
     *
     * @return the device's address of the first byte
     */
    default long address() {
        return segment().address();
    }

    /**
     * Where it lies.
     *
     * @return never changes
     */
    default DeviceMemoryKind kind() {
        return DeviceMemoryKind.DEVICE;
    }

    /**
     * Whether the CPU may read and write it by plain loads and stores.
     *
     * @return false if only kernels and copies reach it
     */
    default boolean isHostAccessible() {
        return true;
    }

    /**
     * The memory that the device gave, if this is a part of it that a pool hands out.
     *
     * @return this, unless it is a part
     */
    default DeviceMemory base() {
        return this;
    }

    /**
     * Where it begins.
     *
     * @return bytes from the beginning of {@link #base()}
     */
    default long baseOffset() {
        return 0;
    }

    /** Frees it. Idempotent. Later access fails with an exception, never with a crash. */
    @Override
    void close();
}
