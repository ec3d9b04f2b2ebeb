/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** {@code membarrier(2)}, its private expedited form: interrupts the CPUs that run threads of this process. */
final class LinuxMembarrier {
    private static final long SYS_MEMBARRIER = System.getProperty("os.arch").equals("amd64") ? 324 : 283;
    private static final int PRIVATE_EXPEDITED = 1 << 3;
    private static final int REGISTER_PRIVATE_EXPEDITED = 1 << 4;
    private static final FunctionDescriptor SHAPE = FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final Linker.Option VARIADIC = Linker.Option.firstVariadicArg(1);
    private static final MethodHandle MEMBARRIER = CLibrary.link("syscall", SHAPE, VARIADIC, Errno.CAPTURED);

    private LinuxMembarrier() {
    }

    /** Registers this process, which the kernel wants once, and tries. Empty if the kernel has or allows none. */
    static Optional<Runnable> find() {
        MemorySegment errno = Errno.capture(Arena.ofAuto());
        if (call(errno, REGISTER_PRIVATE_EXPEDITED) < 0 || call(errno, PRIVATE_EXPEDITED) < 0) {
            return Optional.empty();
        }
        return Optional.of(() -> {
            if (call(errno, PRIVATE_EXPEDITED) < 0) {
                throw Errno.failure("the kernel refuses a memory barrier that it gave before", Errno.of(errno), "");
            }
        });
    }

    private static long call(MemorySegment errno, int command) {
        try {
            return (long) MEMBARRIER.invokeExact(errno, SYS_MEMBARRIER, command, 0);
        } catch (Throwable t) {
            throw CLibrary.failure("membarrier", t);
        }
    }
}
