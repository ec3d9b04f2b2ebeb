/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Line formats of LL and LL128. */
class LinesTest {
    private static final int ROOM = 4096;
    private static final long SLOT = 128;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment user = arena.allocate(ROOM, 1);
    private final MemorySegment back = arena.allocate(ROOM, 1);
    private final MemorySegment slots = arena.allocate(3 * ROOM, 64);

    @AfterEach
    void free() {
        arena.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 15, 16, 55, 56, 57, 112, 113, 1000})
    void shouldBringBackEveryByteAndNoOther(int bytes) {
        fill(bytes);

        LlLines.pack(user, 3, bytes, slots, SLOT, 7);
        LlLines.unpack(slots, SLOT, back, 5, bytes);

        assertEquals(-1, user.asSlice(3, bytes).mismatch(back.asSlice(5, bytes)));
        assertEquals(0, back.get(ValueLayout.JAVA_BYTE, 5 + bytes));
        assertEquals(0, slots.get(ValueLayout.JAVA_LONG, SLOT + LlLines.wireBytes(bytes)), "wrote behind its lines");

        back.fill((byte) 0);
        slots.fill((byte) 0);
        Ll128Lines.pack(user, 3, bytes, slots, SLOT, 7);
        Ll128Lines.unpack(slots, SLOT, back, 5, bytes);

        assertEquals(-1, user.asSlice(3, bytes).mismatch(back.asSlice(5, bytes)));
        assertEquals(0, back.get(ValueLayout.JAVA_BYTE, 5 + bytes));
        assertEquals(0, slots.get(ValueLayout.JAVA_LONG, SLOT + Ll128Lines.wireBytes(bytes)), "wrote behind its lines");
    }

    @Test
    void shouldSeeEveryMissingLlFlag() {
        fill(64);
        LlLines.pack(user, 0, 64, slots, SLOT, 9);
        assertTrue(LlLines.isReady(slots, SLOT, LlLines.wireBytes(64), 9));

        for (long at = SLOT + 4; at < SLOT + LlLines.wireBytes(64); at += 8) {
            slots.set(ValueLayout.JAVA_INT, at, 8);
            assertFalse(LlLines.isReady(slots, SLOT, LlLines.wireBytes(64), 9), "flag at " + at);
            slots.set(ValueLayout.JAVA_INT, at, 9);
        }
        assertTrue(LlLines.isReady(slots, SLOT, LlLines.wireBytes(64), 9));
    }

    @Test
    void shouldSeeEveryMissingLl128Flag() {
        fill(200);
        Ll128Lines.pack(user, 0, 200, slots, SLOT, 9);
        assertTrue(Ll128Lines.isReady(slots, SLOT, Ll128Lines.wireBytes(200), 9));

        for (long at = SLOT + 120; at < SLOT + Ll128Lines.wireBytes(200); at += 128) {
            slots.set(ValueLayout.JAVA_LONG, at, 9 + (1L << 32));
            assertFalse(Ll128Lines.isReady(slots, SLOT, Ll128Lines.wireBytes(200), 9), "flag at " + at);
            slots.set(ValueLayout.JAVA_LONG, at, 9);
        }
    }

    /** Every state in which a reader can find the first line of a step, behind any step 8 before. */
    @Test
    void shouldTellWhoseTheFirstLineIsInWhateverOrderItsWordsCome() {
        Random random = new Random(19);
        for (int i = 0; i < 100_000; i++) {
            long step = i % 2 == 0 ? random.nextLong(1L << 33) + 8 : 8 + random.nextInt(24);
            int oldMark = mark(random);
            int mark = mark(random);
            int otherMark = mark(random);
            LlLines.pack(user, 0, random.nextInt(9), slots, SLOT, LlLines.flag(step - 8), oldMark);
            assertWords(step, mark, otherMark);
        }
    }

    /** Memory is zeroed before its first use. */
    @Test
    void shouldTellWhoseTheFirstLineOfNewMemoryIs() {
        Random random = new Random(20);
        for (int i = 0; i < 10_000; i++) {
            slots.fill((byte) 0);
            assertWords(i % 8, mark(random), mark(random));
        }
    }

    private static int mark(Random random) {
        return LlLines.mark(random.nextInt(4) == 0 ? random.nextInt(64) : random.nextInt());
    }

    private void assertWords(long step, int mark, int otherMark) {
        int flag = LlLines.flag(step);
        MemorySegment now = slots.asSlice(2 * ROOM, 16);
        LlLines.pack(user, 0, 8, now, 0, flag, mark);
        for (int first = 0; first < 2; first++) {
            assertEquals(0, LlLines.firstLine(slots, SLOT, flag, mark));
            assertEquals(0, LlLines.firstLine(slots, SLOT, flag, otherMark), "an old line is of no operation");
            MemorySegment old = slots.asSlice(SLOT, 16);
            long kept = old.get(ValueLayout.JAVA_LONG, 8L * first);
            old.set(ValueLayout.JAVA_LONG, 8L * first, now.get(ValueLayout.JAVA_LONG, 8L * first));
            assertEquals(0, LlLines.firstLine(slots, SLOT, flag, mark), "half a line");
            assertEquals(0, LlLines.firstLine(slots, SLOT, flag, otherMark), "half a line");
            old.set(ValueLayout.JAVA_LONG, 8L * first, kept);
        }
        MemorySegment.copy(now, 0, slots, SLOT, 16);
        assertEquals(1, LlLines.firstLine(slots, SLOT, flag, mark));
        // One flag of 2³² is the mark itself, and leaves 0.
        assertEquals(mark == otherMark ? 1 : flag == mark ? 0 : -1, LlLines.firstLine(slots, SLOT, flag, otherMark));
    }

    @Test
    void shouldTellWhoseALine128Is() {
        Ll128Lines.pack(user, 0, 120, slots, SLOT, Ll128Lines.flag(1L << 35, 7));

        assertFalse(Ll128Lines.isForeign(slots, SLOT, Ll128Lines.flag(1L << 35, 7)));
        assertTrue(Ll128Lines.isForeign(slots, SLOT, Ll128Lines.flag(1L << 35, 8)));
        assertFalse(Ll128Lines.isForeign(slots, SLOT, Ll128Lines.flag((1L << 35) + 8, 7)));
        assertFalse(Ll128Lines.isForeign(slots, SLOT, Ll128Lines.flag((1L << 35) + 8, 8)));
        assertFalse(Ll128Lines.isForeign(slots, 0, Ll128Lines.flag(0, 8)), "never written");
    }

    @Test
    void shouldCountLinesAndData() {
        assertEquals(0, LlLines.wireBytes(0));
        assertEquals(16, LlLines.wireBytes(1));
        assertEquals(32, LlLines.wireBytes(9));
        assertEquals(16 << 10, LlLines.dataBytes(32 << 10));
        assertEquals(128, Ll128Lines.wireBytes(120));
        assertEquals(256, Ll128Lines.wireBytes(121));
        assertEquals(53760, Ll128Lines.dataBytes(57344));
    }

    @Test
    void shouldCleanBeforeFlagsBeginAnew() {
        assertFalse(LlLines.isCleaning(0x7ffffff7L));
        assertTrue(LlLines.isCleaning(0x7ffffff8L));
        assertTrue(LlLines.isCleaning(0x7fffffffL));
        assertFalse(LlLines.isCleaning(0x80000000L));
        assertTrue(LlLines.isCleaning(0xffffffffL));

        LlLines.clean(slots, SLOT, 64, LlLines.flag(0x7ffffffeL));

        assertTrue(LlLines.isReady(slots, SLOT, 64, 0x7fffffff));
        assertFalse(LlLines.isReady(slots, SLOT, 80, 0x7fffffff));
    }

    private void fill(int bytes) {
        Random random = new Random(bytes);
        for (int i = 0; i < bytes + 8; i++) {
            user.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
    }
}
