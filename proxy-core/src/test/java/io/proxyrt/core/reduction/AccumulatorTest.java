/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AccumulatorTest {
    private static final int BYTES = 3 * Reduction.BLOCK_BYTES;
    private static final int OPERANDS = 3;
    private static final RedOp[] OPS = {RedOp.SUM, RedOp.PROD, RedOp.MAX, RedOp.MIN};

    private final Accumulator accumulator = new Accumulator(BYTES);
    private final Reductions reductions = new Reductions(1);
    private final Random random = new Random(7);

    @ParameterizedTest
    @EnumSource(DataType.class)
    void shouldAgreeWithTheOracleAtEverySize(DataType type) {
        try (Arena arena = Arena.ofConfined()) {
            for (RedOp op : OPS) {
                for (int bytes : new int[] {8, 64, 72, 1024, Reduction.BLOCK_BYTES, BYTES - 8, BYTES}) {
                    final MemorySegment[] operands = operands(arena, bytes);
                    final MemorySegment out = arena.allocate(bytes);
                    accumulate(reductions.get(type, op), operands, out);
                    assertReduced(type, op, operands, out);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void shouldNotAllocateInSteadyState(DataType type) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment[] operands = operands(arena, BYTES);
            final MemorySegment out = arena.allocate(BYTES);
            long allocated = -1;
            for (int i = 0; i < 50 && allocated != 0; i++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (RedOp op : OPS) {
                    accumulate(reductions.get(type, op), operands, out);
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertEquals(0, allocated);
        }
    }

    /** Any bits at all. */
    private MemorySegment[] operands(Arena arena, int bytes) {
        final MemorySegment[] operands = new MemorySegment[OPERANDS];
        for (int i = 0; i < OPERANDS; i++) {
            operands[i] = arena.allocate(bytes);
            for (int at = 0; at < bytes; at += Short.BYTES) {
                operands[i].set(ValueLayout.JAVA_SHORT, at, (short) random.nextInt());
            }
        }
        return operands;
    }

    private void accumulate(Reduction reduction, MemorySegment[] operands, MemorySegment out) {
        accumulator.begin(reduction);
        final int bytes = (int) out.byteSize();
        final int block = accumulator.blockBytes();
        for (int i = 0; i < OPERANDS; i++) {
            for (int at = 0; at < bytes; at += block) {
                final int n = Math.min(block, bytes - at);
                if (i == 0) {
                    accumulator.set(at, operands[i], at, n);
                } else {
                    accumulator.combine(at, operands[i], at, n);
                }
            }
        }
        for (int at = 0; at < bytes; at += block) {
            accumulator.get(at, out, at, Math.min(block, bytes - at));
        }
    }

    /** Operand by operand, each step rounded to the type. */
    private static void assertReduced(DataType type, RedOp op, MemorySegment[] operands, MemorySegment out) {
        for (long at = 0; at < out.byteSize(); at += type.sizeBytes()) {
            Object expected = ReductionOracle.value(type, operands[0], at);
            for (int i = 1; i < OPERANDS; i++) {
                expected = ReductionOracle.reduce(type, op, expected, ReductionOracle.value(type, operands[i], at), 1,
                        false);
            }
            final Object actual = ReductionOracle.value(type, out, at);
            if (!expected.equals(actual)) {
                assertEquals(expected, actual, op + " at " + at + " of " + out.byteSize());
            }
        }
    }
}
