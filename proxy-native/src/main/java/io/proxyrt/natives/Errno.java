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
final class Errno {
    static final int EINVAL = 22;
    /** Says to the linker that a call's first argument is a {@link #capture}. */
    static final Linker.Option CAPTURED = Linker.Option.captureCallState("errno");

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final long OFFSET = STATE.byteOffset(PathElement.groupElement("errno"));

    private Errno() {
    }

    static MemorySegment capture(Arena arena) {
        return arena.allocate(STATE);
    }

    static int of(MemorySegment captured) {
        return captured.get(JAVA_INT, OFFSET);
    }

    static ProxyException failure(String what, int errno, String advice) {
        return new ProxyException(ProxyResult.SYSTEM_ERROR, what + ": " + name(errno) + advice);
    }

    /** The name and number, as Linux has them on all architectures that are supported. */
    static String name(int errno) {
        String name = switch (errno) {
            case 1 -> "EPERM";
            case 3 -> "ESRCH";
            case 4 -> "EINTR";
            case 11 -> "EAGAIN";
            case 12 -> "ENOMEM";
            case 13 -> "EACCES";
            case 14 -> "EFAULT";
            case 16 -> "EBUSY";
            case EINVAL -> "EINVAL";
            case 38 -> "ENOSYS";
            case 95 -> "EOPNOTSUPP";
            case 110 -> "ETIMEDOUT";
            default -> "errno";
        };
        return name + " (" + errno + ")";
    }
}
