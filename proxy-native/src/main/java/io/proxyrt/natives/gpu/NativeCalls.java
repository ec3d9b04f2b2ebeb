/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.device.LaunchShape;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Calls functions that return an int, by how many arguments they take. The handles are static, so that calls compile to
 * a call, and take the address, so that drivers of several versions live in one process.
 *
 * <p>Every argument is a long. On x86-64 and AArch64 an int or a pointer has a register, or eight bytes of the stack,
 * to itself, just as a long has, and the callee looks at no more of it than its type says.
 */
final class NativeCalls {
    private static final MethodHandle CALL_0 = link(0);
    private static final MethodHandle CALL_1 = link(1);
    private static final MethodHandle CALL_2 = link(2);
    private static final MethodHandle CALL_3 = link(3);
    private static final MethodHandle CALL_4 = link(4);
    private static final MethodHandle CALL_5 = link(5);
    private static final MethodHandle CALL_6 = link(6);
    private static final MethodHandle CALL_9 = link(9);
    private static final MethodHandle CALL_11 = link(11);
    private static final MemoryLayout IPC_HANDLE =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(GpuApi.IPC_HANDLE_BYTES, JAVA_BYTE));
    private static final MethodHandle OPEN =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, IPC_HANDLE, JAVA_LONG));
    private static final MethodHandle TEXT = link(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private NativeCalls() {
    }

    private static MethodHandle link(int arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return link(FunctionDescriptor.of(JAVA_INT, layouts));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(FunctionDescriptor shape) {
        return Linker.nativeLinker().downcallHandle(shape);
    }

    static int call(GpuFunction function) {
        try {
            return (int) CALL_0.invokeExact(function.address());
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(GpuFunction function, long a) {
        try {
            return (int) CALL_1.invokeExact(function.address(), a);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(GpuFunction function, long a, long b) {
        try {
            return (int) CALL_2.invokeExact(function.address(), a, b);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(GpuFunction function, long a, long b, long c) {
        try {
            return (int) CALL_3.invokeExact(function.address(), a, b, c);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(GpuFunction function, long a, long b, long c, long d) {
        try {
            return (int) CALL_4.invokeExact(function.address(), a, b, c, d);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(GpuFunction function, long a, long b, long c, long d, long e) {
        try {
            return (int) CALL_5.invokeExact(function.address(), a, b, c, d, e);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(GpuFunction function, long a, long b, long c, long d, long e, long f) {
        try {
            return (int) CALL_6.invokeExact(function.address(), a, b, c, d, e, f);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code cuMemcpyBatchAsync} of CUDA 12.8, which the driver of CUDA 13 has still. */
    static int copyBatch(GpuFunction function, GpuBatch batch, long stream) {
        try {
            return (int) CALL_9.invokeExact(function.address(), batch.targets(), batch.sources(), batch.lengths(),
                    batch.size(), batch.attributes(), batch.attributeIndex(), 1L, batch.failed(), stream);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code cuLaunchKernel} and {@code hipModuleLaunchKernel}, with the argument buffer described by extra. */
    static int launch(GpuFunction function, long kernel, LaunchShape shape, long stream,
            long extra) {
        try {
            return (int) CALL_11.invokeExact(function.address(), kernel, (long) shape.gridX(), (long) shape.gridY(),
                    (long) shape.gridZ(), (long) shape.blockX(), (long) shape.blockY(), (long) shape.blockZ(),
                    (long) shape.sharedBytes(), stream, 0L, extra);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code cudaIpcOpenMemHandle} and {@code hipIpcOpenMemHandle}, which take their handle by value. */
    static int openIpc(GpuFunction function, long address, MemorySegment handle, long flags) {
        try {
            return (int) OPEN.invokeExact(function.address(), address, handle, flags);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** The text that a function has for a number, which it owns; the number in digits if there is none. */
    @SuppressWarnings("restricted")
    static String text(GpuFunction function, int number) {
        long address;
        try {
            address = (long) TEXT.invokeExact(function.address(), (long) number);
        } catch (Throwable t) {
            throw failure(function, t);
        }
        return address == 0 ? Integer.toString(number)
                : MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0);
    }

    private static AssertionError failure(GpuFunction function, Throwable thrown) {
        return new AssertionError("cannot call " + function.name() + " this way", thrown);
    }
}
