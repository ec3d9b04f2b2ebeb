/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Calls the functions of a table of any version. What versions differ in:
 *
 * <pre>
 *  init, listen, connect, finalize    from 11 on have a context; before, init is called once in the process
 *  init                               from 10 on is given a profiler's callback
 *  connect, accept                    from 7 on give a device handle, which is not looked at
 *  connect                            of 10 takes the configuration that init takes from 11 on
 *  regMr                              of 6 takes an int as the size
 *  irecv                              before 9 takes ints as sizes, and knows no hint in the request
 *  isend, irecv                       from 10 on are given a profiler's handles
 * </pre>
 */
final class NetBinding implements NetLibrary {
    /** {@code ncclNetCommConfig}: the traffic class, undefined. */
    private static final MemorySegment CONFIG = Arena.global().allocateFrom(JAVA_INT, -1);

    private final PlugIn plugIn;
    private final NetTable table;
    private final PropertiesLayout layout;
    private final boolean hasContext;
    private final boolean hasConnectConfig;
    private final boolean hasDeviceHandles;
    private final boolean hasProfiler;
    private final boolean hasLongSizes;
    private boolean isInitialized;

    NetBinding(String file, NetTable table) {
        this.plugIn = new PlugIn(file, "ncclNet_v" + table.version(), table.name());
        this.table = table;
        this.layout = PropertiesLayout.of(table.version());
        this.hasContext = table.version() >= 11;
        this.hasConnectConfig = table.version() == 10;
        this.hasDeviceHandles = table.version() >= 7;
        this.hasProfiler = table.version() >= 10;
        this.hasLongSizes = table.version() >= 9;
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
            plugIn.check(table.init(), TableCalls.call(table.init(), context.address(), 0, CONFIG.address(),
                    plugIn.logger().address(), ProfilerCallback.address()));
            return context.get(JAVA_LONG, 0);
        }
    }

    private synchronized long initProcess() {
        if (!isInitialized) {
            plugIn.check(table.init(), hasProfiler
                    ? TableCalls.call(table.init(), plugIn.logger().address(), ProfilerCallback.address())
                    : TableCalls.call(table.init(), plugIn.logger().address()));
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
    public long connect(long context, int dev, MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment comm = arena.allocate(JAVA_LONG);
            MemorySegment deviceHandle = arena.allocate(JAVA_LONG);
            plugIn.check(table.connect(),
                    connect(context, dev, handle.address(), comm.address(), deviceHandle.address()));
            return comm.get(JAVA_LONG, 0);
        } finally {
            Reference.reachabilityFence(handle);
        }
    }

    private int connect(long context, int dev, long handle, long comm, long deviceHandle) {
        if (hasContext) {
            return TableCalls.call(table.connect(), context, dev, handle, comm, deviceHandle);
        }
        if (hasConnectConfig) {
            return TableCalls.call(table.connect(), dev, CONFIG.address(), handle, comm, deviceHandle);
        }
        return hasDeviceHandles ? TableCalls.call(table.connect(), dev, handle, comm, deviceHandle)
                : TableCalls.call(table.connect(), dev, handle, comm);
    }

    @Override
    public long accept(long listenComm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment comm = arena.allocate(JAVA_LONG);
            MemorySegment deviceHandle = arena.allocate(JAVA_LONG);
            plugIn.check(table.accept(), hasDeviceHandles
                    ? TableCalls.call(table.accept(), listenComm, comm.address(), deviceHandle.address())
                    : TableCalls.call(table.accept(), listenComm, comm.address()));
            return comm.get(JAVA_LONG, 0);
        }
    }

    @Override
    public long regMr(long comm, long address, long bytes) {
        if (table.version() == NetTable.OLDEST && bytes > Integer.MAX_VALUE) {
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
            // A dma-buf may be of any GPU, and NCCL says so in this way.
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
    public void closeSend(long comm) {
        plugIn.check(table.closeSend(), TableCalls.call(table.closeSend(), comm));
    }

    @Override
    public void closeRecv(long comm) {
        plugIn.check(table.closeRecv(), TableCalls.call(table.closeRecv(), comm));
    }

    @Override
    public void closeListen(long comm) {
        plugIn.check(table.closeListen(), TableCalls.call(table.closeListen(), comm));
    }

    @Override
    public int isend(long comm, long address, long bytes, int tag, long mhandle, NetWords words) {
        int code = hasProfiler
                ? TableCalls.call(table.isend(), comm, address, bytes, tag, mhandle, 0, words.requestAddress())
                : TableCalls.call(table.isend(), comm, address, bytes, tag, mhandle, words.requestAddress());
        // The call has but an address: the collector would free the memory of words without references.
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int irecv(long comm, int n, NetWords words) {
        if (!hasLongSizes) {
            words.request(0);
        }
        long sizes = hasLongSizes ? words.sizesAddress() : words.intSizesAddress();
        int code = hasProfiler
                ? TableCalls.irecv(table.irecv(), comm, n, sizes, words)
                : TableCalls.call(table.irecv(), comm, n, words.addressesAddress(), sizes, words.tagsAddress(),
                        words.mhandlesAddress(), words.requestAddress());
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int iflush(long comm, int n, NetWords words) {
        if (!table.iflush().exists()) {
            return 0;
        }
        int code = TableCalls.call(table.iflush(), comm, n, words.addressesAddress(), words.intSizesAddress(),
                words.mhandlesAddress(), words.requestAddress());
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int test(long request, NetWords words) {
        int code = TableCalls.call(table.test(), request, words.doneAddress(), words.actualAddress());
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int irecvConsumed(long comm, int n, long request) {
        return table.consumed().exists() ? TableCalls.call(table.consumed(), comm, n, request) : 0;
    }
}
