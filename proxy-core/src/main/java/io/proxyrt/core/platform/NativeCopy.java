/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.lang.foreign.MemorySegment;

/**
 * The copy of the system's C library, which knows the processor. It neither blocks nor allocates, and holds safepoints
 * up for no longer than it takes to copy a megabyte. Any thread.
 */
public interface NativeCopy {
    /**
     * Copies bytes between places that do not overlap.
     *
     * @param from       native memory
     * @param fromOffset bytes from its beginning
     * @param to         native memory
     * @param toOffset   bytes from its beginning
     * @param bytes      how many
     * @throws IndexOutOfBoundsException as {@link MemorySegment#copy} does; so are the other exceptions
     */
    void copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes);

    /**
     * Copies the beginning of an array.
     *
     * @param array    a segment of the heap
     * @param to       native memory
     * @param toOffset bytes from its beginning
     * @param bytes    how many, at most a megabyte
     * @throws IndexOutOfBoundsException as {@link MemorySegment#copy} does; so are the other exceptions
     */
    void copyArray(MemorySegment array, MemorySegment to, long toOffset, long bytes);
}
