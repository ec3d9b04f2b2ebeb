/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.device.Copier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MeasuringCopierTest {
    private static final int BYTES = 1 << 20;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment from = arena.allocate(BYTES);
    private final MemorySegment to = arena.allocate(BYTES);
    private final MemorySegment array = MemorySegment.ofArray(new int[LibraryCopier.SMALLEST]);
    private final FakeLibrary library = new FakeLibrary();
    private final List<String> changes = new ArrayList<>();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void shouldLeaveSmallCopiesToTheJvm() {
        Copier copier = new LibraryCopier(library);
        requireCopies(copier, 0);
        requireCopies(copier, LibraryCopier.SMALLEST - 1);
        assertEquals(0, library.copies);
        requireCopies(copier, LibraryCopier.SMALLEST);
        requireCopies(copier, BYTES);
        assertEquals(2, library.copies);
    }

    @Test
    void shouldCopyBlocksOfArrays() {
        Copier copier = new LibraryCopier(library);
        array.fill((byte) 7);
        copier.copyBlock(array, to, 16, 8192);
        assertEquals(1, library.copies);
        assertEquals(-1, array.asSlice(0, 8192).mismatch(to.asSlice(16, 8192)));
        copier.copy(array, 64, to, 0, 8192);
        assertEquals(1, library.copies, "not the beginning of an array");
    }

    /** A user may receive there, or send from there. */
    @Test
    void shouldLeaveTheJavaHeapToTheJvm() {
        Copier copier = new LibraryCopier(library);
        from.fill((byte) 5);
        copier.copy(from, 0, array, 4, 8192);
        assertEquals(-1, array.asSlice(4, 8192).mismatch(from.asSlice(0, 8192)));
        copier.copy(array, 4, to, 0, 8192);
        assertEquals(-1, to.asSlice(0, 8192).mismatch(from.asSlice(0, 8192)));
        assertEquals(0, library.copies);
    }

    @Test
    void shouldTryBothForEachSizeAndTakeTheFaster() {
        Copier copier = trying();
        library.delayNs = 200_000;
        copyOften(copier, 8192);
        assertEquals(CopyTrial.SAMPLES, library.copies);
        assertEquals(List.of(), changes);
        library.delayNs = 0;
        library.isFree = true;
        copyOften(copier, BYTES);
        assertEquals(List.of(BYTES + " true"), changes);
        assertTrue(library.copies > 2 * CopyTrial.SAMPLES, "the winner copies outside of trials");
    }

    @Test
    void shouldTryBlocksByThemselves() {
        Copier copier = trying();
        copyOften(copier, 8192);
        int before = library.copies;
        for (int i = 0; i < 2 * CopyTrial.SAMPLES; i++) {
            copier.copyBlock(array, to, 0, 8192);
        }
        assertEquals(before + CopyTrial.SAMPLES, library.copies);
    }

    private Copier trying() {
        return new MeasuringCopier(new LibraryCopier(library),
                (trial, bytes) -> changes.add(bytes + " " + trial.isNative()));
    }

    private void copyOften(Copier copier, int bytes) {
        for (int i = 0; i < 2 * CopyTrial.SAMPLES + CopyTrial.FIRST_PAUSE; i++) {
            copier.copy(from, 0, to, 0, bytes);
        }
    }

    private void requireCopies(Copier copier, int bytes) {
        from.fill((byte) bytes);
        to.fill((byte) ~bytes);
        copier.copy(from, 0, to, 0, bytes);
        assertEquals(bytes == BYTES ? -1 : bytes, from.mismatch(to));
    }
}
