/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.device.Copier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReductionAllocationTest {
    private static final int WARM_UP_ROUNDS = 20;
    private static final int CALLS = 100;
    private static final long BYTES = 3 * Reduction.BLOCK_BYTES;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @ParameterizedTest
    @EnumSource(DataType.class)
    void shouldNotAllocateInSteadyState(DataType type) {
        try (Arena arena = Arena.ofShared()) {
            final MemorySegment memory = arena.allocate(2 * BYTES);
            for (RedOp op : RedOp.values()) {
                final Reduction reduction = Reduction.of(type, op, 3);
                long allocated = -1;
                for (int i = 0; i < WARM_UP_ROUNDS && allocated != 0; i++) {
                    allocated = allocatedBy(reduction, memory, BYTES / type.sizeBytes());
                }
                assertEquals(0, allocated, op.label());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(DataType.class)
    void shouldNotAllocateWhereItMultiplies(DataType type) {
        try (Arena arena = Arena.ofShared()) {
            final MemorySegment memory = arena.allocate(2 * BYTES);
            final PreMulSum op = PreMulSum.at(type, memory);
            final Reduction reduction = Reduction.of(type, op, 3);
            long allocated = -1;
            for (int i = 0; i < WARM_UP_ROUNDS && allocated != 0; i++) {
                final long before = threads.getCurrentThreadAllocatedBytes();
                for (int call = 0; call < CALLS; call++) {
                    reduction.begin(op).scale(memory, 0, memory, BYTES, BYTES / type.sizeBytes());
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before
                        + allocatedBy(reduction, memory, BYTES / type.sizeBytes());
            }
            assertEquals(0, allocated);
        }
    }

    /** Kernels multiply, on a thread that has no time for it. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT8_E4M3", "FLOAT8_E5M2"})
    void shouldHaveTheTableOfProductsOnceMade(DataType type) {
        final PreMulSum op = PreMulSum.of(type, 2);
        final Reduction reduction = Reduction.of(type, op, 1);
        for (int i = 0; i < ReductionFloat8.PAIRS.length(); i++) {
            ReductionFloat8.PAIRS.set(i, null);
        }
        final MemorySegment three = MemorySegment.ofArray(new byte[] {(byte) type.toBits(3)});
        reduction.begin(op).scale(three, 0, three, 0, 1);
        assertEquals(6, type.fromBits(three.get(ValueLayout.JAVA_BYTE, 0)));
        for (int i = 0; i < ReductionFloat8.PAIRS.length(); i++) {
            assertNull(ReductionFloat8.PAIRS.get(i));
        }
    }

    @Test
    void shouldNotAllocateWhereAFunctionReduces() {
        try (Arena arena = Arena.ofShared()) {
            final MemorySegment memory = arena.allocate(2 * BYTES);
            final UserRedOp op = UserRedOp.of("last", (in, inout, count, type) -> inout.copyFrom(in));
            final Reduction reduction = Reduction.of(DataType.FLOAT32, op, 3).begin(op);
            long allocated = -1;
            for (int i = 0; i < WARM_UP_ROUNDS && allocated != 0; i++) {
                allocated = allocatedBy(reduction, memory, BYTES / Float.BYTES);
            }
            assertEquals(0, allocated);
        }
    }

    private long allocatedBy(Reduction reduction, MemorySegment memory, long count) {
        final long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            reduction.operands(memory, 0, memory, BYTES).reduce(memory, 0, i % 2 == 0 ? count : 1, true);
            reduction.operands(memory, 0, memory, BYTES).reduce(Copier.JVM, memory, 0, memory, BYTES, count, false);
        }
        return threads.getCurrentThreadAllocatedBytes() - before;
    }
}
