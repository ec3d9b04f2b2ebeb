/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;

/**
 * {@code ncclProfilerCallback_t}: by it a plug-in tells a profiler of NCCL what it does. There is none here, so events
 * succeed and leave nothing, as in NCCL without a profiler.
 */
final class ProfilerCallback {
    private static final MemorySegment STUB = stub();

    private ProfilerCallback() {
    }

    static long address() {
        return STUB.address();
    }

    @SuppressWarnings("restricted")
    private static MemorySegment stub() {
        return Linker.nativeLinker().upcallStub(MethodHandles.dropArguments(MethodHandles.constant(int.class, 0), 0,
                        long.class, int.class, long.class, long.class, long.class),
                FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG), Arena.global());
    }
}
