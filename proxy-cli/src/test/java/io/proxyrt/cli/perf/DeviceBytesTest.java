/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceBytesTest {
    private static final long PIECE = DeviceBytes.PIECE_BYTES;
    private static final long OFFSET = 24;

    private final HostDevice device = new HostDevice(0);
    private final DeviceMemory memory = device.allocate(2 * PIECE + 4096);
    private final DeviceBytes access = new DeviceBytes(device);

    @AfterEach
    void close() {
        access.close();
        device.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 8, 4096, PIECE, PIECE + 8, 2 * PIECE + 16})
    void shouldReachEveryByteOfMemoryThatTheCpuDoesNot(long bytes) {
        access.write(new Far(), OFFSET, bytes, (piece, offset) -> number(piece, offset));
        MemorySegment near = memory.segment();
        assertEquals(0, near.get(ValueLayout.JAVA_LONG, OFFSET - 8));
        assertEquals(0, near.get(ValueLayout.JAVA_LONG, OFFSET + bytes));
        for (long at = 0; at < bytes; at += Long.BYTES) {
            assertEquals(at + 1, near.get(ValueLayout.JAVA_LONG, OFFSET + at));
        }
        assertEquals(sum(bytes), access.read(new Far(), OFFSET, bytes, DeviceBytesTest::sum));
        assertEquals(sum(bytes), access.read(memory, OFFSET, bytes, DeviceBytesTest::sum));
    }

    @Test
    void shouldGoByPiecesOnlyWhereItMust() {
        List<Long> offsets = new ArrayList<>();
        access.read(memory, 0, PIECE + 8, (piece, offset) -> offsets.add(offset) ? 0 : 1);
        assertEquals(List.of(0L), offsets);
        access.read(new Far(), 0, PIECE + 8, (piece, offset) -> offsets.add(offset) ? 0 : 1);
        assertEquals(List.of(0L, 0L, PIECE), offsets);
    }

    @Test
    void shouldSayThatTheDeviceDoesNotCopy() {
        ProxyException failure = assertThrows(ProxyException.class,
                () -> access.write(new Far(), memory.bytes() - 8, 16, (piece, offset) -> { }));
        assertEquals(true, failure.getMessage().startsWith("host:0 does not copy between its memory and the host's: "),
                failure.getMessage());
    }

    private static void number(MemorySegment piece, long offset) {
        for (long at = 0; at < piece.byteSize(); at += Long.BYTES) {
            piece.set(ValueLayout.JAVA_LONG, at, offset + at + 1);
        }
    }

    private static long sum(MemorySegment piece, long offset) {
        long sum = 0;
        for (long at = 0; at < piece.byteSize(); at += Long.BYTES) {
            sum += piece.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        }
        return sum;
    }

    private static long sum(long bytes) {
        long words = bytes / Long.BYTES;
        return words + Long.BYTES * (words * (words - 1) / 2);
    }

    /** The memory, as a GPU has it. */
    private final class Far implements DeviceMemory {
        @Override
        public MemorySegment segment() {
            throw new AssertionError("touched");
        }

        @Override
        public boolean isHostAccessible() {
            return false;
        }

        @Override
        public DeviceMemory base() {
            return memory;
        }

        @Override
        public long id() {
            return memory.id();
        }

        @Override
        public void close() {
            memory.close();
        }
    }
}
