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
import io.proxyrt.core.platform.Futex;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * {@code futex(2)}, which has no function of its own in the C library. Never with {@code FUTEX_PRIVATE_FLAG}: the word
 * may be another process's too. The kernel gets the bare address, so that a late {@link #wake()} cannot keep an arena
 * from closing; it checks every address itself, and writes to none.
 */
final class LinuxFutex implements Futex {
    private static final long SYS_FUTEX = System.getProperty("os.arch").equals("amd64") ? 202 : 98;
    private static final int FUTEX_WAIT = 0;
    private static final int FUTEX_WAKE = 1;
    private static final long SECOND_NS = 1_000_000_000;
    private static final FunctionDescriptor SHAPE =
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, ADDRESS);
    private static final Linker.Option VARIADIC = Linker.Option.firstVariadicArg(1);
    private static final MethodHandle FUTEX = CLibrary.link("syscall", SHAPE, VARIADIC, Errno.CAPTURED);

    private final MemorySegment word;
    /** Of waiters and wakers: what they capture there is not looked at, so they may share it. */
    private final MemorySegment errno;
    private final MemorySegment timespec;

    private LinuxFutex(MemorySegment word) {
        Arena arena = Arena.ofAuto();
        this.word = word;
        this.errno = Errno.capture(arena);
        this.timespec = arena.allocate(2 * JAVA_LONG.byteSize(), JAVA_LONG.byteAlignment());
    }

    static Futex of(MemorySegment word) {
        if (!word.isNative() || word.isReadOnly() || word.byteSize() < Integer.BYTES || word.address() % 4 != 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a futex needs four aligned bytes of writable native"
                    + " memory, not " + word);
        }
        LinuxFutex futex = new LinuxFutex(word);
        if (futex.call(FUTEX_WAKE, 1, MemorySegment.NULL) < 0) {
            throw Errno.failure("the kernel refuses a futex in " + word, Errno.of(futex.errno), "");
        }
        return futex;
    }

    /** Ends for EAGAIN, EINTR and ETIMEDOUT, and all three mean: look again. */
    @Override
    public void await(int expected, long maxNs) {
        if (maxNs > 0) {
            timespec.set(JAVA_LONG, 0, maxNs / SECOND_NS);
            timespec.set(JAVA_LONG, JAVA_LONG.byteSize(), maxNs % SECOND_NS);
            call(FUTEX_WAIT, expected, timespec);
        }
    }

    @Override
    public void wake() {
        call(FUTEX_WAKE, Integer.MAX_VALUE, MemorySegment.NULL);
    }

    private long call(int operation, int value, MemorySegment timeout) {
        try {
            return (long) FUTEX.invokeExact(errno, SYS_FUTEX, word.address(), operation, value, timeout);
        } catch (Throwable t) {
            throw CLibrary.failure("futex", t);
        }
    }
}
