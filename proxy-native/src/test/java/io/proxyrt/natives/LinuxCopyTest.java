/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.platform.NativeCopy;
import io.proxyrt.core.platform.Platform;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinuxCopyTest {
    private static final int ROOM = 3 << 20;

    private final NativeCopy copy = Platform.find().copy().orElseThrow();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment from = arena.allocate(ROOM);
    private final MemorySegment to = arena.allocate(ROOM);

    @AfterEach
    void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 63, 4096, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) + 7})
    void shouldCopyThoseBytesAndNoOthers(int bytes) {
        for (int i = 0; i < ROOM / Integer.BYTES; i++) {
            from.setAtIndex(ValueLayout.JAVA_INT, i, i);
        }
        copy.copy(from, 12, to, 5, bytes);
        assertEquals(-1, from.asSlice(12, bytes).mismatch(to.asSlice(5, bytes)));
        assertEquals(-1, to.asSlice(0, 5).mismatch(arena.allocate(5)));
        assertEquals(-1, to.asSlice(5L + bytes).mismatch(arena.allocate(ROOM - 5L - bytes)));
    }

    @Test
    void shouldCopyFromArraysOfAnyType() {
        float[] floats = {1, 2, 3};
        copy.copyArray(MemorySegment.ofArray(floats), to, 4, 12);
        assertEquals(3, to.get(ValueLayout.JAVA_FLOAT, 12));
        copy.copyArray(MemorySegment.ofArray(new byte[] {9, 8}), to, 0, 2);
        assertEquals(8, to.get(ValueLayout.JAVA_BYTE, 1));
    }

    @Test
    void shouldRefuseWhatIsNotThere() {
        MemorySegment small = from.asSlice(0, 100);
        assertThrows(IndexOutOfBoundsException.class, () -> copy.copy(small, 1, to, 0, 100));
        assertThrows(IndexOutOfBoundsException.class, () -> copy.copy(to, 0, small, 1, 100));
        assertThrows(IndexOutOfBoundsException.class, () -> copy.copy(to, -1, small, 0, 100));
        assertThrows(IndexOutOfBoundsException.class, () -> copy.copy(to, 0, small, 0, -1));
        MemorySegment array = MemorySegment.ofArray(new byte[100]);
        assertThrows(IndexOutOfBoundsException.class, () -> copy.copyArray(array, to, 0, 101));
        assertThrows(IndexOutOfBoundsException.class, () -> copy.copyArray(array, small, 1, 100));
        assertThrows(IndexOutOfBoundsException.class,
                () -> copy.copyArray(MemorySegment.ofArray(new byte[ROOM]), to, 0, ROOM));
    }

    @Test
    void shouldRefuseMemoryThatItMayNotUse() {
        MemorySegment heap = MemorySegment.ofArray(new byte[100]);
        assertThrows(IllegalArgumentException.class, () -> copy.copy(heap, 0, to, 0, 100));
        assertThrows(IllegalArgumentException.class, () -> copy.copy(from, 0, heap, 0, 100));
        assertThrows(IllegalArgumentException.class, () -> copy.copyArray(heap, heap, 0, 100));
        assertThrows(IllegalArgumentException.class, () -> copy.copy(from, 0, to.asReadOnly(), 0, 100));
        try (Arena other = Arena.ofConfined()) {
            MemorySegment confined = other.allocate(100);
            assertThrows(WrongThreadException.class, () -> onAnotherThread(() -> copy.copy(confined, 0, to, 0, 100)));
        }
        arena.close();
        assertThrows(IllegalStateException.class, () -> copy.copy(from, 0, to, 0, 100));
        assertThrows(IllegalStateException.class, () -> copy.copyArray(heap, to, 0, 100));
    }

    private static void onAnotherThread(Runnable body) throws Throwable {
        Throwable[] thrown = new Throwable[1];
        Thread thread = Thread.ofPlatform().start(() -> {
            try {
                body.run();
            } catch (RuntimeException e) {
                thrown[0] = e;
            }
        });
        thread.join();
        if (thrown[0] != null) {
            throw thrown[0];
        }
    }
}
