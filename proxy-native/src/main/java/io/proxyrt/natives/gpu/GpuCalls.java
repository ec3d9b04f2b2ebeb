/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.device.LaunchShape;
import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls functions of drivers whose arguments are more than a few numbers; the others go by {@link CCalls}. */
final class GpuCalls {
    private static final MethodHandle CALL_9 = CCalls.link(9);
    private static final MethodHandle CALL_11 = CCalls.link(11);
    private static final MemoryLayout IPC_HANDLE =
            MemoryLayout.structLayout(MemoryLayout.sequenceLayout(GpuApi.IPC_HANDLE_BYTES, JAVA_BYTE));
    private static final MethodHandle OPEN =
            CCalls.link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, IPC_HANDLE, JAVA_LONG));
    private static final MethodHandle TEXT = CCalls.link(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

    private GpuCalls() {
    }

    /** {@code cuMemcpyBatchAsync} of CUDA 12.8, which the driver of CUDA 13 has still. */
    static int copyBatch(CFunction function, GpuBatch batch, long stream) {
        try {
            return (int) CALL_9.invokeExact(function.address(), batch.targets(), batch.sources(), batch.lengths(),
                    batch.size(), batch.attributes(), batch.attributeIndex(), 1L, batch.failed(), stream);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** {@code cuLaunchKernel} and {@code hipModuleLaunchKernel}, with the argument buffer described by extra. */
    static int launch(CFunction function, long kernel, LaunchShape shape, long stream,
            long extra) {
        try {
            return (int) CALL_11.invokeExact(function.address(), kernel, (long) shape.gridX(), (long) shape.gridY(),
                    (long) shape.gridZ(), (long) shape.blockX(), (long) shape.blockY(), (long) shape.blockZ(),
                    (long) shape.sharedBytes(), stream, 0L, extra);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** {@code cudaIpcOpenMemHandle} and {@code hipIpcOpenMemHandle}, which take their handle by value. */
    static int openIpc(CFunction function, long address, MemorySegment handle, long flags) {
        try {
            return (int) OPEN.invokeExact(function.address(), address, handle, flags);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** The text that a function has for a number, which it owns; the number in digits if there is none. */
    @SuppressWarnings("restricted")
    static String text(CFunction function, int number) {
        long address;
        try {
            address = (long) TEXT.invokeExact(function.address(), (long) number);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
        return address == 0 ? Integer.toString(number)
                : MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0);
    }
}
