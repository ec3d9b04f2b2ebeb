/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.plugin.CollNetBuffer;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.CollNetParts;
import io.proxyrt.core.plugin.CollNetWindow;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Calls the functions of a table of any version. From 11 on init, listen and finalize have a context; before 9 the
 * count of an all-reduce is an int, in 6 the size of registered memory; before 8 there is all-reduce alone.
 */
final class CollNetBinding implements CollNetLibrary {
    private final PlugIn plugIn;
    private final CollNetTable table;
    private final PropertiesLayout layout;
    private final boolean hasContext;
    private final long maxCount;
    private final long maxRegionBytes;
    private boolean isInitialized;

    CollNetBinding(String file, CollNetTable table) {
        this.plugIn = new PlugIn(file, "ncclCollNet_v" + table.version(), table.name());
        this.table = table;
        this.layout = PropertiesLayout.of(table.version());
        this.hasContext = table.version() >= 11;
        this.maxCount = table.version() >= 9 ? Long.MAX_VALUE : Integer.MAX_VALUE;
        this.maxRegionBytes = table.version() >= 7 ? Long.MAX_VALUE : Integer.MAX_VALUE;
    }

    @Override
    public String file() {
        return plugIn.file();
    }

    @Override
    public int version() {
        return table.version();
    }

    @Override
    public String name() {
        return plugIn.name();
    }

    @Override
    public String lastWarning() {
        return plugIn.logger().lastWarning();
    }

    @Override
    public long init() {
        return hasContext ? initContext() : initProcess();
    }

    private long initContext() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(JAVA_LONG);
            plugIn.check(table.init(),
                    TableCalls.call(table.init(), context.address(), 0, plugIn.logger().address()));
            return context.get(JAVA_LONG, 0);
        }
    }

    private synchronized long initProcess() {
        if (!isInitialized) {
            plugIn.check(table.init(), TableCalls.call(table.init(), plugIn.logger().address()));
            isInitialized = true;
        }
        return 0;
    }

    @Override
    public void finish(long context) {
        if (table.finish().exists()) {
            plugIn.check(table.finish(), TableCalls.call(table.finish(), context));
        }
    }

    @Override
    public int devices() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            plugIn.check(table.devices(), TableCalls.call(table.devices(), count.address()));
            return count.get(JAVA_INT, 0);
        }
    }

    @Override
    public NetLibraryProperties properties(int dev) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(PropertiesLayout.BYTES, Long.BYTES);
            plugIn.check(table.getProperties(), TableCalls.call(table.getProperties(), dev, memory.address()));
            return layout.read(memory);
        }
    }

    @Override
    public long listen(long context, int dev, MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment comm = arena.allocate(JAVA_LONG);
            plugIn.check(table.listen(), hasContext
                    ? TableCalls.call(table.listen(), context, dev, handle.address(), comm.address())
                    : TableCalls.call(table.listen(), dev, handle.address(), comm.address()));
            return comm.get(JAVA_LONG, 0);
        } finally {
            Reference.reachabilityFence(handle);
        }
    }

    @Override
    public long connect(MemorySegment handles, int nRanks, int rank, long listenComm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointers = arena.allocate(JAVA_LONG, nRanks);
            for (int i = 0; i < nRanks; i++) {
                pointers.setAtIndex(JAVA_LONG, i, handles.address() + (long) i * NetLibrary.HANDLE_BYTES);
            }
            MemorySegment comm = arena.allocate(JAVA_LONG);
            plugIn.check(table.connect(), TableCalls.call(table.connect(), pointers.address(), nRanks, rank,
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
                    TableCalls.call(table.reduceSupport(), type.ordinal(), op.ordinal(), supported.address()));
            return supported.get(JAVA_INT, 0) != 0;
        }
    }

    @Override
    public long regMr(long comm, long address, long bytes) {
        if (bytes > maxRegionBytes) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, bytes + " bytes of memory are more than "
                    + plugIn.describe(table.regMr()) + " can be told");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mhandle = arena.allocate(JAVA_LONG);
            plugIn.check(table.regMr(), TableCalls.call(table.regMr(), comm, address, bytes,
                    NetLibraryProperties.PTR_HOST, mhandle.address()));
            return mhandle.get(JAVA_LONG, 0);
        }
    }

    @Override
    public long regMrDmaBuf(long comm, long address, long bytes, long offset, int fd) {
        if (!table.regMrDmaBuf().exists()) {
            throw plugIn.lacks(table.regMrDmaBuf());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mhandle = arena.allocate(JAVA_LONG);
            plugIn.check(table.regMrDmaBuf(), TableCalls.call(table.regMrDmaBuf(), comm, address, bytes,
                    NetLibraryProperties.PTR_CUDA, offset, fd, mhandle.address()));
            return mhandle.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void deregMr(long comm, long mhandle) {
        plugIn.check(table.deregMr(), TableCalls.call(table.deregMr(), comm, mhandle));
    }

    @Override
    public void closeColl(long comm) {
        plugIn.check(table.closeColl(), TableCalls.call(table.closeColl(), comm));
    }

    @Override
    public void closeListen(long listenComm) {
        plugIn.check(table.closeListen(), TableCalls.call(table.closeListen(), listenComm));
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
        int code = TableCalls.call(table.iflush(), comm, buffer.address(), bytes, buffer.mhandle(),
                words.requestAddress());
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int test(long request, NetWords words) {
        int code = TableCalls.call(table.test(), request, words.doneAddress(), words.actualAddress());
        Reference.reachabilityFence(words);
        return code;
    }
}
