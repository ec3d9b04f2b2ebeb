/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Four bytes of a file. */
final class MappedWord implements AutoCloseable {
    private static final VarHandle WORD = JAVA_INT.varHandle().withInvokeExactBehavior();

    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;

    MappedWord(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            segment = channel.map(MapMode.READ_WRITE, 0, Integer.BYTES, arena);
        }
    }

    MemorySegment segment() {
        return segment;
    }

    int get() {
        return (int) WORD.getAcquire(segment, 0L);
    }

    void set(int value) {
        WORD.setRelease(segment, 0L, value);
    }

    @Override
    public void close() {
        arena.close();
    }
}
