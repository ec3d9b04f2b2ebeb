/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** Why a call failed: captured right after it, before the JVM's own calls overwrite it. */
public final class Errno {
    static final int EINTR = 4;
    static final int EBADF = 9;
    static final int EAGAIN = 11;
    /** An argument, or a state, that does not allow it. */
    public static final int EINVAL = 22;
    static final int ENFILE = 23;
    static final int EMFILE = 24;
    /** Says to the linker that a call's first argument is a {@link #capture}. */
    public static final Linker.Option CAPTURED = Linker.Option.captureCallState("errno");

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long OFFSET = STATE.byteOffset(PathElement.groupElement("errno"));

    private Errno() {
    }

    /**
     * Where a call's errno goes.
     *
     * @param arena that it is allocated in
     * @return the call's first argument, after the address
     */
    public static MemorySegment capture(Arena arena) {
        return arena.allocate(STATE);
    }

    /**
     * Reads it.
     *
     * @param captured by a call that failed
     * @return such as {@link #EINVAL}
     */
    public static int of(MemorySegment captured) {
        return captured.get(JAVA_INT, OFFSET);
    }

    /**
     * What to throw.
     *
     * @param what   cannot be done
     * @param errno  why
     * @param advice follows it
     * @return of kind {@link ProxyResult#SYSTEM_ERROR}
     */
    public static ProxyException failure(String what, int errno, String advice) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, what + ": " + name(errno) + advice);
    }

    /**
     * What a call returned, unless that says that it failed.
     *
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} with the reason
     */
    static int checked(int result, MemorySegment captured, String what) {
        if (result < 0) {
            throw failure(what, of(captured), advice(of(captured)));
        }
        return result;
    }

    /** What helps, where every caller would say the same. */
    static String advice(int errno) {
        return switch (errno) {
            case EMFILE -> "; this process has no file descriptor left, raise its limit (ulimit -n)";
            case ENFILE -> "; this host has no file descriptor left, raise fs.file-max";
            default -> "";
        };
    }

    /**
     * The name and number, as Linux has them on all architectures that are supported.
     *
     * @param errno such as 22
     * @return such as {@code EINVAL (22)}
     */
    public static String name(int errno) {
        String name = switch (errno) {
            case 1 -> "EPERM";
            case 2 -> "ENOENT";
            case 3 -> "ESRCH";
            case EINTR -> "EINTR";
            case 5 -> "EIO";
            case EBADF -> "EBADF";
            case EAGAIN -> "EAGAIN";
            case 12 -> "ENOMEM";
            case 13 -> "EACCES";
            case 14 -> "EFAULT";
            case 16 -> "EBUSY";
            case 19 -> "ENODEV";
            case 20 -> "ENOTDIR";
            case EINVAL -> "EINVAL";
            case ENFILE -> "ENFILE";
            case EMFILE -> "EMFILE";
            case 27 -> "EFBIG";
            case 28 -> "ENOSPC";
            case 30 -> "EROFS";
            case 32 -> "EPIPE";
            case 38 -> "ENOSYS";
            case 90 -> "EMSGSIZE";
            case 91 -> "EPROTOTYPE";
            case 93 -> "EPROTONOSUPPORT";
            case 95 -> "EOPNOTSUPP";
            case 98 -> "EADDRINUSE";
            case 101 -> "ENETUNREACH";
            case 103 -> "ECONNABORTED";
            case 104 -> "ECONNRESET";
            case 105 -> "ENOBUFS";
            case 107 -> "ENOTCONN";
            case 109 -> "ETOOMANYREFS";
            case 110 -> "ETIMEDOUT";
            case 111 -> "ECONNREFUSED";
            case 113 -> "EHOSTUNREACH";
            default -> "errno";
        };
        return name + " (" + errno + ")";
    }
}
