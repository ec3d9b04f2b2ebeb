/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of kernels that take turns, as much as the largest of them has asked for: a slot's worth for each of a job's
 * connections would be most of a rank's memory. Confined to the thread that runs the stream.
 */
final class Scratch {
    private static final long LEAST_BYTES = 1 << 10;

    private MemorySegment memory = MemorySegment.NULL;

    /** At least so many bytes; with other contents than before if they are more. */
    MemorySegment of(long bytes) {
        if (memory.byteSize() < bytes) {
            memory = Arena.ofAuto().allocate(Long.highestOneBit(Math.max(LEAST_BYTES, bytes) - 1) << 1, Long.BYTES);
        }
        return memory;
    }
}
