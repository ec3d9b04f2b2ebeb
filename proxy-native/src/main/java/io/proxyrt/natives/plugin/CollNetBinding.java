/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.natives.CCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Calls the functions of a table of any version. From 11 on init, listen and finalize have a context; before 9 the
 * count of an all-reduce is an int; before 8 the size of registered memory is one, and there is all-reduce alone.
 */
final class CollNetBinding extends TableBinding implements CollNetLibrary {
    private CollNetTable table;
    private final long maxCount;

    CollNetBinding(String file, TableReader reader) {
        this(file, reader, CollNetTable.read(reader));
    }

    private CollNetBinding(String file, TableReader reader, CollNetTable table) {
        super(file, "ncclCollNet", reader, table.common());
        this.table = table;
        this.maxCount = version() >= 9 ? Long.MAX_VALUE : Integer.MAX_VALUE;
    }

    @Override
    CommonTable read(TableReader again) {
        table = CollNetTable.read(again);
        return table.common();
    }

    @Override
    int callInit(long context) {
        return hasContext ? CCalls.call(table.common().init(), context, 0, plugIn.logger().address())
                : CCalls.call(table.common().init(), plugIn.logger().address());
    }

    @Override
    public long connect(MemorySegment handles, int nRanks, int rank, long listenComm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointers = arena.allocate(JAVA_LONG, nRanks);
            for (int i = 0; i < nRanks; i++) {
                pointers.setAtIndex(JAVA_LONG, i, handles.address() + (long) i * NetLibrary.HANDLE_BYTES);
            }
            MemorySegment comm = arena.allocate(JAVA_LONG);
            plugIn.check(table.connect(), CCalls.call(table.connect(), pointers.address(), nRanks, rank,
                    listenComm, comm.address()));
            return comm.get(JAVA_LONG, 0);
        } finally {
            Reference.reachabilityFence(handles);
        }
    }

    @Override
    public boolean reduces(DataType type, RedOp op) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment supported = arena.allocate(JAVA_INT);
            plugIn.check(table.reduceSupport(),
                    CCalls.call(table.reduceSupport(), type.ordinal(), op.ordinal(), supported.address()));
            return supported.get(JAVA_INT, 0) != 0;
        }
    }

    @Override
    public boolean hasWindows() {
        return table.allGather().exists() && table.reduceScatter().exists();
    }

    @Override
    public void closeColl(long comm) {
        plugIn.check(table.closeColl(), CCalls.call(table.closeColl(), comm));
    }

    @Override
    public int iallreduce(long comm, CollNetBuffer send, CollNetBuffer recv, long count, DataType type, RedOp op,
            NetWords words) {
        if (count > maxCount) {
            return ProxyResult.INVALID_ARGUMENT.code();
        }
        int code = TableCalls.allReduce(table.allReduce(), comm, send, recv, count, type, op, words);
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int iallgather(long comm, CollNetBuffer send, CollNetParts recv, CollNetWindow window, NetWords words) {
        if (!table.allGather().exists()) {
            return ProxyResult.INVALID_USAGE.code();
        }
        int code = TableCalls.allGather(table.allGather(), comm, send, recv, window, words);
        Reference.reachabilityFence(recv);
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int ireducescatter(long comm, CollNetParts send, CollNetBuffer recv, CollNetWindow window, DataType type,
            RedOp op, NetWords words) {
        if (!table.reduceScatter().exists()) {
            return ProxyResult.INVALID_USAGE.code();
        }
        int code = TableCalls.reduceScatter(table.reduceScatter(), comm, send, recv, window, type, op, words);
        Reference.reachabilityFence(send);
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int iflush(long comm, CollNetBuffer buffer, int bytes, NetWords words) {
        if (!table.iflush().exists()) {
            return 0;
        }
        int code = CCalls.call(table.iflush(), comm, buffer.address(), bytes, buffer.mhandle(),
                words.requestAddress());
        Reference.reachabilityFence(words);
        return code;
    }

}
