/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Pieces of memory: an array of {@code ncclNetSGE_t}. Its size has 8 bytes for each version: in version 8, where it is
 * an int, nothing else lies in the other four.
 *
 * <pre>
 *  0  mhandle    void *
 *  8  address    void *
 * 16  size       size_t
 * </pre>
 */
public final class CollNetParts {
    private static final int PART_BYTES = 24;

    private final int count;
    private final MemorySegment memory;

    /**
     * Pieces that are to be described.
     *
     * @param count how many
     */
    public CollNetParts(int count) {
        this.count = count;
        this.memory = Arena.ofAuto().allocate((long) count * PART_BYTES, Long.BYTES);
    }

    /**
     * Describes a piece.
     *
     * @param index   of the piece
     * @param mhandle of its memory
     * @param address where it begins
     * @param bytes   of it
     */
    public void part(int index, long mhandle, long address, long bytes) {
        memory.set(JAVA_LONG, (long) index * PART_BYTES, mhandle);
        memory.set(JAVA_LONG, (long) index * PART_BYTES + 8, address);
        memory.set(JAVA_LONG, (long) index * PART_BYTES + 16, bytes);
    }

    /**
     * Of a piece.
     *
     * @param index of the piece
     * @return as described
     */
    public long mhandle(int index) {
        return memory.get(JAVA_LONG, (long) index * PART_BYTES);
    }

    /**
     * Of a piece.
     *
     * @param index of the piece
     * @return as described
     */
    public long address(int index) {
        return memory.get(JAVA_LONG, (long) index * PART_BYTES + 8);
    }

    /**
     * Of a piece.
     *
     * @param index of the piece
     * @return as described
     */
    public long bytes(int index) {
        return memory.get(JAVA_LONG, (long) index * PART_BYTES + 16);
    }

    /**
     * How many there are.
     *
     * @return as made
     */
    public int count() {
        return count;
    }

    /**
     * For C: {@code ncclNetSGE_t *}.
     *
     * @return an address, valid as long as this object
     */
    public long address() {
        return memory.address();
    }
}
