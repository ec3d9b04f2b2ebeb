/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.natives.CCalls;
import io.proxyrt.natives.CFunction;
import java.lang.invoke.MethodHandle;

/** Calls functions of tables that have more arguments than {@link CCalls} passes. */
final class TableCalls {
    private static final MethodHandle CALL_8 = CCalls.link(8);
    private static final MethodHandle CALL_9 = CCalls.link(9);
    private static final MethodHandle CALL_11 = CCalls.link(11);

    private TableCalls() {
    }

    /** {@code irecv} from version 10 on; the sizes where the plug-in wants them. */
    static int irecv(CFunction function, long comm, int n, long sizes, NetWords words) {
        try {
            return (int) CALL_8.invokeExact(function.address(), comm, (long) n, words.addressesAddress(), sizes,
                    words.tagsAddress(), words.mhandlesAddress(), words.phandlesAddress(), words.requestAddress());
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** {@code iallreduce}. */
    static int allReduce(CFunction function, long comm, CollNetBuffer send, CollNetBuffer recv, long count,
            DataType type, RedOp op, NetWords words) {
        try {
            return (int) CALL_9.invokeExact(function.address(), comm, send.address(), recv.address(), count,
                    (long) type.ordinal(), (long) op.ordinal(), send.mhandle(), recv.mhandle(),
                    words.requestAddress());
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** {@code iallgather}. */
    static int allGather(CFunction function, long comm, CollNetBuffer send, CollNetParts recv,
            CollNetWindow window, NetWords words) {
        try {
            return (int) CALL_9.invokeExact(function.address(), comm, send.address(), (long) recv.count(),
                    recv.address(), window.bytesPerRank(), window.offset(), window.bytes(), send.mhandle(),
                    words.requestAddress());
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }

    /** {@code ireducescatter}. */
    static int reduceScatter(CFunction function, long comm, CollNetParts send, CollNetBuffer recv,
            CollNetWindow window, DataType type, RedOp op, NetWords words) {
        try {
            return (int) CALL_11.invokeExact(function.address(), comm, (long) send.count(), send.address(),
                    recv.address(), window.bytesPerRank(), window.offset(), window.bytes(), (long) type.ordinal(),
                    (long) op.ordinal(), recv.mhandle(), words.requestAddress());
        } catch (Throwable t) {
            throw CCalls.failure(function, t);
        }
    }
}
