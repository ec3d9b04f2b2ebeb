/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;

/**
 * How data get from the memory of one CPU to that of another: into a slot that another rank reads, or out of one. For
 * one thread at a time; allocates nothing.
 */
public interface Copier {
    /** The JVM's copy, whatever the machine. */
    Copier JVM = new Copier() {
        @Override
        public void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
        }

        @Override
        public void copyBlock(MemorySegment array, MemorySegment to, long toOffset, int bytes) {
            MemorySegment.copy(array, 0, to, toOffset, bytes);
        }
    };

    /**
     * Copies bytes between places that do not overlap.
     *
     * @param from       memory that both CPUs may have in their caches
     * @param fromOffset bytes from its beginning
     * @param to         the same
     * @param toOffset   bytes from its beginning
     * @param bytes      how many
     * @throws IndexOutOfBoundsException as {@link MemorySegment#copy} does; so are the other exceptions
     */
    void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes);

    /**
     * Copies a block that was made in an array of the first-level cache.
     *
     * @param array    a segment of the heap, of which the beginning is copied
     * @param to       memory that both CPUs may have in their caches
     * @param toOffset bytes from its beginning
     * @param bytes    how many
     * @throws IndexOutOfBoundsException as {@link MemorySegment#copy} does; so are the other exceptions
     */
    void copyBlock(MemorySegment array, MemorySegment to, long toOffset, int bytes);
}
