/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;

/** Native memory with numbers by index. */
final class Ints {
    private Ints() {
    }

    static MemorySegment ints(int count, IntUnaryOperator value) {
        MemorySegment memory = Arena.ofAuto().allocate(4L * count, 8);
        for (int i = 0; i < count; i++) {
            memory.setAtIndex(JAVA_INT, i, value.applyAsInt(i));
        }
        return memory;
    }

    static void assertInts(MemorySegment memory, int count, IntUnaryOperator expected) {
        for (int i = 0; i < count; i++) {
            assertEquals(expected.applyAsInt(i), memory.getAtIndex(JAVA_INT, i), "of " + count + " at " + i);
        }
    }
}
