/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * {@code sched_setattr(2)}, which the C library has only lately. Its structure begins
 *
 * <pre>
 *    0      4        8       16     20         24
 *   +------+--------+-------+------+----------+---------+----------+--------+
 *   | size | policy | flags | nice | priority | runtime | deadline | period |
 *   +------+--------+-------+------+----------+---------+----------+--------+ 48
 * </pre>
 *
 * <p>The runtime of a thread without real-time priority is its time slice, from Linux 6.12 on; before, it reads as zero
 * and is not looked at.
 */
final class LinuxSchedAttr {
    private static final boolean IS_AMD64 = System.getProperty("os.arch").equals("amd64");
    private static final long SYS_SCHED_SETATTR = IS_AMD64 ? 314 : 274;
    private static final long SYS_SCHED_GETATTR = IS_AMD64 ? 315 : 275;
    private static final int THIS_THREAD = 0;
    private static final int BYTES = 48;
    private static final long SIZE_OFFSET = 0;
    private static final long RUNTIME_OFFSET = 24;
    private static final Linker.Option VARIADIC = Linker.Option.firstVariadicArg(1);
    private static final MethodHandle GET = CLibrary.link("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG,
            JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT), VARIADIC, Errno.CAPTURED);
    private static final MethodHandle SET = CLibrary.link("syscall", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG,
            JAVA_INT, ADDRESS, JAVA_INT), VARIADIC, Errno.CAPTURED);

    private LinuxSchedAttr() {
    }

    static void timeSlice(long ns) {
        if (ns < 1) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a time slice of " + ns + " ns");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Errno.capture(arena);
            MemorySegment attributes = arena.allocate(BYTES, JAVA_LONG.byteAlignment());
            check(get(errno, attributes), errno, ns);
            if (attributes.get(JAVA_LONG, RUNTIME_OFFSET) == 0) {
                throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot give the calling thread a time slice of "
                        + ns + " ns: it takes Linux 6.12, and a thread without real-time priority");
            }
            attributes.set(JAVA_INT, SIZE_OFFSET, BYTES);
            attributes.set(JAVA_LONG, RUNTIME_OFFSET, ns);
            check(set(errno, attributes), errno, ns);
        }
    }

    private static void check(long status, MemorySegment errno, long ns) {
        if (status != 0) {
            throw Errno.failure("cannot give the calling thread a time slice of " + ns + " ns", Errno.of(errno), "");
        }
    }

    private static long get(MemorySegment errno, MemorySegment attributes) {
        try {
            return (long) GET.invokeExact(errno, SYS_SCHED_GETATTR, THIS_THREAD, attributes, BYTES, 0);
        } catch (Throwable t) {
            throw CLibrary.failure("sched_getattr", t);
        }
    }

    private static long set(MemorySegment errno, MemorySegment attributes) {
        try {
            return (long) SET.invokeExact(errno, SYS_SCHED_SETATTR, THIS_THREAD, attributes, 0);
        } catch (Throwable t) {
            throw CLibrary.failure("sched_setattr", t);
        }
    }
}
