/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.UserRedOp;
import io.proxyrt.core.reduction.CReduction;
import io.proxyrt.core.reduction.Reduction;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import org.junit.jupiter.api.Test;

class CReductionTest {
    private static final FunctionDescriptor SHAPE = FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final int INT32 = 2;

    /** What C would have; the JDK makes a pointer of it. */
    @SuppressWarnings("restricted")
    static void xor(MemorySegment in, MemorySegment inout, long count, int type) {
        assertEquals(INT32, type);
        MemorySegment from = in.reinterpret(4 * count);
        MemorySegment to = inout.reinterpret(4 * count);
        for (long i = 0; i < count; i++) {
            to.setAtIndex(JAVA_INT, i, to.getAtIndex(JAVA_INT, i) ^ from.getAtIndex(JAVA_INT, i));
        }
    }

    @SuppressWarnings("restricted")
    private static MemorySegment pointer(Arena arena) throws ReflectiveOperationException {
        return Linker.nativeLinker().upcallStub(
                MethodHandles.lookup().findStatic(CReductionTest.class, "xor", SHAPE.toMethodType()), SHAPE, arena);
    }

    @Test
    void shouldReduceByAFunctionOfC() throws ReflectiveOperationException {
        try (Arena arena = Arena.ofConfined()) {
            UserRedOp op = CReduction.of("xor", pointer(arena));
            Reduction reduction = Reduction.of(DataType.INT32, op, 2).begin(op);
            for (int count : new int[] {1, 3, 2047, 2048, 2049, 10_000}) {
                MemorySegment a = arena.allocate(4L * count, 4);
                MemorySegment b = arena.allocate(4L * count, 4);
                for (int i = 0; i < count; i++) {
                    a.setAtIndex(JAVA_INT, i, i * 0x9E3779B9);
                    b.setAtIndex(JAVA_INT, i, i - count);
                }
                reduction.operands(a, 0, b, 0).reduce(b, 0, count, true);
                for (int i = 0; i < count; i++) {
                    assertEquals(i * 0x9E3779B9 ^ i - count, b.getAtIndex(JAVA_INT, i), "of " + count + " at " + i);
                }
            }
        }
    }

    @Test
    void shouldNotCallAFunctionThatIsNoLongerThere() throws ReflectiveOperationException {
        Arena arena = Arena.ofShared();
        UserRedOp op = CReduction.of("gone", pointer(arena));
        Reduction reduction = Reduction.of(DataType.INT32, op, 2).begin(op);
        arena.close();
        MemorySegment data = Arena.ofAuto().allocate(4, 4);
        ProxyException refusal = assertThrows(ProxyException.class,
                () -> reduction.operands(data, 0, data, 0).reduce(data, 0, 1, true));
        assertEquals(ProxyResult.INVALID_ARGUMENT, refusal.result());
        assertEquals("the function of reduction gone threw java.lang.IllegalStateException: Already closed",
                refusal.getMessage());
    }

    @Test
    void shouldRefuseAFunctionThatIsNotThere() {
        assertEquals("function is null",
                assertThrows(ProxyException.class, () -> CReduction.of("nothing", MemorySegment.NULL)).getMessage());
    }
}
