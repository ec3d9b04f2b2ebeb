/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A thread's memory for what calls give back by pointer, and for the description of a kernel's arguments, so that calls
 * allocate none. One call uses it at a time.
 *
 * <pre>
 *   0  what a call gives back
 *   8  BUFFER_POINTER  16  address of the arguments
 *  24  BUFFER_SIZE     32  address of what is at 48
 *  40  END             48  bytes of the arguments
 *  56  more that a call gives back
 *  64  how the thread takes part in captures, while calls do otherwise
 * </pre>
 */
final class GpuScratch {
    private static final int BYTES = 72;
    private static final int EXTRA = 8;
    private static final int ARGUMENTS = 16;
    private static final int SIZE = 48;
    private static final int MORE = 56;
    private static final int MODE = 64;
    /** {@code CU_LAUNCH_PARAM_BUFFER_POINTER}, {@code HIP_LAUNCH_PARAM_BUFFER_POINTER}. */
    static final long BUFFER_POINTER = 1;
    /** {@code CU_LAUNCH_PARAM_BUFFER_SIZE}, {@code HIP_LAUNCH_PARAM_BUFFER_SIZE}. */
    static final long BUFFER_SIZE = 2;

    private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, JAVA_LONG.byteAlignment());

    /** With {@code CU_LAUNCH_PARAM_END} or {@code HIP_LAUNCH_PARAM_END}, which differ. */
    GpuScratch(long end) {
        memory.set(JAVA_LONG, 8, BUFFER_POINTER);
        memory.set(JAVA_LONG, 24, BUFFER_SIZE);
        memory.set(JAVA_LONG, 32, memory.address() + SIZE);
        memory.set(JAVA_LONG, 40, end);
    }

    /** Where a call shall put what it gives back. */
    long out() {
        return memory.address();
    }

    /** The same, with a number in it already. */
    long out(long value) {
        memory.set(JAVA_LONG, 0, value);
        return memory.address();
    }

    /** Where it shall put what else it gives back. */
    long more() {
        return memory.address() + MORE;
    }

    /** Where a mode of captures is, to be exchanged. */
    long mode(int mode) {
        memory.set(JAVA_INT, MODE, mode);
        return memory.address() + MODE;
    }

    long asLong() {
        return memory.get(JAVA_LONG, 0);
    }

    int asInt() {
        return memory.get(JAVA_INT, 0);
    }

    /** The description of a kernel's arguments. */
    long extra(MemorySegment arguments) {
        memory.set(JAVA_LONG, ARGUMENTS, arguments.address());
        memory.set(JAVA_LONG, SIZE, arguments.byteSize());
        return memory.address() + EXTRA;
    }
}
