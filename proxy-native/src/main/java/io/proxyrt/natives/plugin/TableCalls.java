/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.CollNetWindow;
import io.proxyrt.core.plugin.NetWords;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Calls functions that return {@code ncclResult_t}, by how many arguments they take. The handles are static, so that
 * calls compile to a call, and take the address, so that several plug-ins live in one process. No call is critical:
 * plug-ins take locks, make system calls, and log.
 *
 * <p>Every argument is a long. On x86-64 and AArch64 an int or a pointer has a register, or eight bytes of the stack,
 * to itself, just as a long has, and the callee looks at no more of it than its type says.
 */
final class TableCalls {
    private static final MethodHandle CALL_1 = link(1);
    private static final MethodHandle CALL_2 = link(2);
    private static final MethodHandle CALL_3 = link(3);
    private static final MethodHandle CALL_4 = link(4);
    private static final MethodHandle CALL_5 = link(5);
    private static final MethodHandle CALL_6 = link(6);
    private static final MethodHandle CALL_7 = link(7);
    private static final MethodHandle CALL_8 = link(8);
    private static final MethodHandle CALL_9 = link(9);
    private static final MethodHandle CALL_11 = link(11);

    private TableCalls() {
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(int arguments) {
        MemoryLayout[] layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return Linker.nativeLinker().downcallHandle(FunctionDescriptor.of(JAVA_INT, layouts));
    }

    static int call(TableFunction function, long a) {
        try {
            return (int) CALL_1.invokeExact(function.address(), a);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(TableFunction function, long a, long b) {
        try {
            return (int) CALL_2.invokeExact(function.address(), a, b);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(TableFunction function, long a, long b, long c) {
        try {
            return (int) CALL_3.invokeExact(function.address(), a, b, c);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(TableFunction function, long a, long b, long c, long d) {
        try {
            return (int) CALL_4.invokeExact(function.address(), a, b, c, d);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(TableFunction function, long a, long b, long c, long d, long e) {
        try {
            return (int) CALL_5.invokeExact(function.address(), a, b, c, d, e);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(TableFunction function, long a, long b, long c, long d, long e, long f) {
        try {
            return (int) CALL_6.invokeExact(function.address(), a, b, c, d, e, f);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    static int call(TableFunction function, long a, long b, long c, long d, long e, long f, long g) {
        try {
            return (int) CALL_7.invokeExact(function.address(), a, b, c, d, e, f, g);
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code irecv} from version 10 on; the sizes where the plug-in wants them. */
    static int irecv(TableFunction function, long comm, int n, long sizes, NetWords words) {
        try {
            return (int) CALL_8.invokeExact(function.address(), comm, (long) n, words.addressesAddress(), sizes,
                    words.tagsAddress(), words.mhandlesAddress(), words.phandlesAddress(), words.requestAddress());
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code iallreduce}. */
    static int allReduce(TableFunction function, long comm, CollNetBuffer send, CollNetBuffer recv, long count,
            DataType type, RedOp op, NetWords words) {
        try {
            return (int) CALL_9.invokeExact(function.address(), comm, send.address(), recv.address(), count,
                    (long) type.ordinal(), (long) op.ordinal(), send.mhandle(), recv.mhandle(),
                    words.requestAddress());
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code iallgather}. */
    static int allGather(TableFunction function, long comm, CollNetBuffer send, CollNetParts recv,
            CollNetWindow window, NetWords words) {
        try {
            return (int) CALL_9.invokeExact(function.address(), comm, send.address(), (long) recv.count(),
                    recv.address(), window.bytesPerRank(), window.offset(), window.bytes(), send.mhandle(),
                    words.requestAddress());
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    /** {@code ireducescatter}. */
    static int reduceScatter(TableFunction function, long comm, CollNetParts send, CollNetBuffer recv,
            CollNetWindow window, DataType type, RedOp op, NetWords words) {
        try {
            return (int) CALL_11.invokeExact(function.address(), comm, (long) send.count(), send.address(),
                    recv.address(), window.bytesPerRank(), window.offset(), window.bytes(), (long) type.ordinal(),
                    (long) op.ordinal(), recv.mhandle(), words.requestAddress());
        } catch (Throwable t) {
            throw failure(function, t);
        }
    }

    private static AssertionError failure(TableFunction function, Throwable thrown) {
        return new AssertionError("cannot call " + function.name() + " this way", thrown);
    }
}
