/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Device memory with a margin on both sides, for guard words that must stay as they are. */
final class GuardedBuffer implements AutoCloseable {
    /** A page, so that the data begin at one. */
    private static final long MARGIN_BYTES = 4096;
    private static final int GUARD_BYTES = 512;
    private static final byte POISON = (byte) 0xDB;
    private static final long GUARD_WORD = 0x6775_6172_6421_A5C3L;

    private final DeviceMemory memory;
    private final DeviceBytes access;

    /** Its bytes are read and written by an access that stays the caller's. */
    GuardedBuffer(Communicator comm, long bytes, DeviceBytes access) {
        this.memory = comm.allocate(Math.addExact(bytes, 2 * MARGIN_BYTES));
        this.access = access;
    }

    /** A piece of the data, for collectives: the CPU may not reach it. */
    MemorySegment slice(long offset, long bytes) {
        return memory.range().asSlice(MARGIN_BYTES + offset, bytes);
    }

    /** Fills a slice with values from an index on. */
    void fill(MemorySegment slice, DataPattern.Period period, long firstIndex) {
        access.write(memory, offset(slice), slice.byteSize(),
                (piece, at) -> period.fill(piece, firstIndex + at / period.elementBytes()));
    }

    /** Counts elements of a slice that are not as expected. */
    long countWrong(DataPattern.Expected part) {
        DataPattern.Period values = part.values();
        return access.read(memory, offset(part.actual()), part.actual().byteSize(),
                (piece, at) -> values.countWrong(piece, part.firstIndex() + at / values.elementBytes()));
    }

    /** The first element of a slice that is not as expected; -1 if there is none. */
    long firstWrong(DataPattern.Expected part) {
        DataPattern.Period values = part.values();
        long[] first = {-1};
        access.read(memory, offset(part.actual()), part.actual().byteSize(), (piece, at) -> {
            long index = at / values.elementBytes();
            long wrong = first[0] < 0 ? values.firstWrong(piece, part.firstIndex() + index) : -1;
            first[0] = wrong < 0 ? first[0] : index + wrong;
            return 0;
        });
        return first[0];
    }

    /** An element of a slice. */
    long bits(MemorySegment slice, DataType type, long index) {
        return access.read(memory, offset(slice) + index * type.sizeBytes(), type.sizeBytes(),
                (piece, at) -> Numbers.get(piece, type, 0));
    }

    /** Fills a piece of the data with what no pattern would leave there, and guards it on both sides. */
    void poison(long offset, long bytes) {
        access.write(memory, MARGIN_BYTES + offset, bytes, (piece, at) -> piece.fill(POISON));
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
        access.write(memory, MARGIN_BYTES + offset, GUARD_BYTES, (piece, at) -> {
            for (long i = 0; i < GUARD_BYTES; i += Long.BYTES) {
                piece.set(ValueLayout.JAVA_LONG_UNALIGNED, i, GUARD_WORD);
            }
        });
    }

    private long touched(long offset) {
        return access.read(memory, MARGIN_BYTES + offset, GUARD_BYTES, (piece, at) -> {
            long touched = 0;
            for (long i = 0; i < GUARD_BYTES; i += Long.BYTES) {
                touched += piece.get(ValueLayout.JAVA_LONG_UNALIGNED, i) == GUARD_WORD ? 0 : 1;
            }
            return touched;
        });
    }

    private long offset(MemorySegment slice) {
        return slice.address() - memory.range().address();
    }
}
