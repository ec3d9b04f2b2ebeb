/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import io.proxyrt.natives.Errno;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls of libibverbs. The handles are static, so that calls compile to a call, and take the function's address, as
 * those of the data path are each driver's own. Pointers are longs.
 *
 * <p>Calls of the data path do not leave the JVM's state "in Java": the callee writes to a queue in memory, rings a
 * doorbell, or makes a system call that does not wait. All others capture errno first.
 */
final class IbvCalls {
    private static final Linker.Option CRITICAL = Linker.Option.critical(false);
    private static final MethodHandle POST =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG), CRITICAL);
    private static final MethodHandle POLL =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG), CRITICAL);
    private static final MethodHandle POINTER_1 = link(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle POINTER_2 =
            link(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle INT_1 = link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle INT_2 =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle VOID_1 = link(FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle QUERY_PORT =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle QUERY_GID =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_BYTE, JAVA_INT, JAVA_LONG), Errno.CAPTURED);
    private static final MethodHandle REG_MR =
            link(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle REG_MR_IOVA2 = link(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle REG_DMABUF_MR = link(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT),
            Errno.CAPTURED);
    private static final MethodHandle CREATE_CQ = link(
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT), Errno.CAPTURED);
    private static final MethodHandle MODIFY_QP =
            link(FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT), Errno.CAPTURED);

    private IbvCalls() {
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(FunctionDescriptor shape, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(shape, options);
    }

    /** {@code ibv_post_send} and {@code ibv_post_recv}. */
    static int post(CFunction function, long queuePair, long requests, long bad) {
        try {
            return (int) POST.invokeExact(function.address(), queuePair, requests, bad);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** {@code ibv_poll_cq}. */
    static int poll(CFunction function, long queue, int most, long completions) {
        try {
            return (int) POLL.invokeExact(function.address(), queue, most, completions);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static long pointer(CFunction function, MemorySegment errno, long a) {
        try {
            return (long) POINTER_1.invokeExact(function.address(), errno, a);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static long pointer(CFunction function, MemorySegment errno, long a, long b) {
        try {
            return (long) POINTER_2.invokeExact(function.address(), errno, a, b);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static int call(CFunction function, MemorySegment errno, long a) {
        try {
            return (int) INT_1.invokeExact(function.address(), errno, a);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static int call(CFunction function, MemorySegment errno, long a, long b) {
        try {
            return (int) INT_2.invokeExact(function.address(), errno, a, b);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static void callVoid(CFunction function, long a) {
        try {
            VOID_1.invokeExact(function.address(), a);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static int queryPort(CFunction function, MemorySegment errno, long context, int port, long attributes) {
        try {
            return (int) QUERY_PORT.invokeExact(function.address(), errno, context, (byte) port, attributes);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static int queryGid(CFunction function, MemorySegment errno, long context, int port, int index, long gid) {
        try {
            return (int) QUERY_GID.invokeExact(function.address(), errno, context, (byte) port, index, gid);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static long regMr(CFunction function, MemorySegment errno, long domain, long address, long bytes, int access) {
        try {
            return (long) REG_MR.invokeExact(function.address(), errno, domain, address, bytes, access);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static long regMrIova2(CFunction function, MemorySegment errno, long domain, long address, long bytes,
            int access) {
        try {
            return (long) REG_MR_IOVA2.invokeExact(function.address(), errno, domain, address, bytes, address, access);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static long regDmaBufMr(CFunction function, MemorySegment errno, long domain, long offset, long bytes, long iova,
            int fd, int access) {
        try {
            return (long) REG_DMABUF_MR.invokeExact(function.address(), errno, domain, offset, bytes, iova, fd,
                    access);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** Without a channel: the queue is polled. */
    static long createCq(CFunction function, MemorySegment errno, long context, int entries) {
        try {
            return (long) CREATE_CQ.invokeExact(function.address(), errno, context, entries, 0L, 0L, 0);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    static int modifyQp(CFunction function, MemorySegment errno, long queuePair, long attributes, int mask) {
        try {
            return (int) MODIFY_QP.invokeExact(function.address(), errno, queuePair, attributes, mask);
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }
}
