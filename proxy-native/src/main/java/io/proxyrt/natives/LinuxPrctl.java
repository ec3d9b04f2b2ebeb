/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/** {@code prctl(2)}: what a thread can set for itself. */
final class LinuxPrctl {
    private static final int MAX_NAME_BYTES = 15;
    private static final int PR_SET_NAME = 15;
    private static final int PR_SET_TIMERSLACK = 29;
    private static final MethodHandle PRCTL = CLibrary.link("prctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT,
            JAVA_LONG), Linker.Option.firstVariadicArg(1), Errno.CAPTURED);

    private LinuxPrctl() {
    }

    static void nameThread(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_NAME_BYTES || name.indexOf(0) >= 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a thread's name has at most " + MAX_NAME_BYTES
                    + " bytes, none of them zero; '" + name + "' has " + bytes.length);
        }
        try (Arena arena = Arena.ofConfined()) {
            call(arena, PR_SET_NAME, arena.allocateFrom(name).address(), "name the calling thread " + name);
        }
    }

    static void timerSlack(long ns) {
        if (ns < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a timer slack of " + ns + " ns");
        }
        try (Arena arena = Arena.ofConfined()) {
            call(arena, PR_SET_TIMERSLACK, ns, "set the calling thread's timer slack to " + ns + " ns");
        }
    }

    private static void call(Arena arena, int option, long argument, String what) {
        MemorySegment errno = Errno.capture(arena);
        int status;
        try {
            status = (int) PRCTL.invokeExact(errno, option, argument);
        } catch (Throwable t) {
            throw CLibrary.failure("prctl", t);
        }
        if (status != 0) {
            throw Errno.failure("cannot " + what, Errno.of(errno), "");
        }
    }
}
