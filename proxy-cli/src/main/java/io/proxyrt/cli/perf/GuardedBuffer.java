/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Device memory with a margin on both sides, in which words can be laid down that nobody may touch. */
final class GuardedBuffer implements AutoCloseable {
    /** A page, so that the data begin at one. */
    private static final long MARGIN_BYTES = 4096;
    private static final int GUARD_BYTES = 512;
    private static final byte POISON = (byte) 0xDB;
    private static final long GUARD_WORD = 0x6775_6172_6421_A5C3L;

    private final DeviceMemory memory;
    private final MemorySegment segment;

    GuardedBuffer(Communicator comm, long bytes) {
        this.memory = comm.allocate(Math.addExact(bytes, 2 * MARGIN_BYTES));
        this.segment = memory.segment();
    }

    /** A piece of the data. */
    MemorySegment slice(long offset, long bytes) {
        return segment.asSlice(MARGIN_BYTES + offset, bytes);
    }

    /** Fills a piece of the data with what no pattern would leave there, and guards it on both sides. */
    void poison(long offset, long bytes) {
        slice(offset, bytes).fill(POISON);
        guard(offset - GUARD_BYTES);
        guard(offset + bytes);
    }

    /** Counts the words around a piece of the data that were overwritten since it was poisoned. */
    long countTouched(long offset, long bytes) {
        return touched(offset - GUARD_BYTES) + touched(offset + bytes);
    }

    @Override
    public void close() {
        memory.close();
    }

    private void guard(long offset) {
        for (long i = 0; i < GUARD_BYTES; i += Long.BYTES) {
            segment.set(ValueLayout.JAVA_LONG_UNALIGNED, MARGIN_BYTES + offset + i, GUARD_WORD);
        }
    }

    private long touched(long offset) {
        long touched = 0;
        for (long i = 0; i < GUARD_BYTES; i += Long.BYTES) {
            if (segment.get(ValueLayout.JAVA_LONG_UNALIGNED, MARGIN_BYTES + offset + i) != GUARD_WORD) {
                touched++;
            }
        }
        return touched;
    }
}
