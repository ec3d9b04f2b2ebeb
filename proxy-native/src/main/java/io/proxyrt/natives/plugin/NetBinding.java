/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.natives.CCalls;
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
 *  regMr                              before 8 takes an int as the size
 *  irecv                              before 9 takes ints as sizes, and knows no hint in the request
 *  isend, irecv                       from 10 on are given a profiler's handles
 * </pre>
 */
final class NetBinding extends TableBinding implements NetLibrary {
    /** {@code ncclNetCommConfig}: the traffic class, undefined. */
    private static final MemorySegment CONFIG = Arena.global().allocateFrom(JAVA_INT, -1);

    private NetTable table;
    private final boolean hasConnectConfig;
    private final boolean hasDeviceHandles;
    private final boolean hasProfiler;
    private final boolean hasLongSizes;

    NetBinding(String file, TableReader reader) {
        this(file, reader, NetTable.read(reader));
    }

    private NetBinding(String file, TableReader reader, NetTable table) {
        super(file, "ncclNet", reader, table.common());
        this.table = table;
        this.hasConnectConfig = version() == 10;
        this.hasDeviceHandles = version() >= 7;
        this.hasProfiler = version() >= 10;
        this.hasLongSizes = version() >= 9;
    }

    @Override
    CommonTable read(TableReader again) {
        table = NetTable.read(again);
        return table.common();
    }

    @Override
    int callInit(long context) {
        if (hasContext) {
            return CCalls.call(table.common().init(), context, 0, CONFIG.address(), plugIn.logger().address(),
                    ProfilerCallback.address());
        }
        return hasProfiler
                ? CCalls.call(table.common().init(), plugIn.logger().address(), ProfilerCallback.address())
                : CCalls.call(table.common().init(), plugIn.logger().address());
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
            return CCalls.call(table.connect(), context, dev, handle, comm, deviceHandle);
        }
        if (hasConnectConfig) {
            return CCalls.call(table.connect(), dev, CONFIG.address(), handle, comm, deviceHandle);
        }
        return hasDeviceHandles ? CCalls.call(table.connect(), dev, handle, comm, deviceHandle)
                : CCalls.call(table.connect(), dev, handle, comm);
    }

    @Override
    public long accept(long listenComm) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment comm = arena.allocate(JAVA_LONG);
            MemorySegment deviceHandle = arena.allocate(JAVA_LONG);
            plugIn.check(table.accept(), hasDeviceHandles
                    ? CCalls.call(table.accept(), listenComm, comm.address(), deviceHandle.address())
                    : CCalls.call(table.accept(), listenComm, comm.address()));
            return comm.get(JAVA_LONG, 0);
        }
    }

    @Override
    public void closeSend(long comm) {
        plugIn.check(table.closeSend(), CCalls.call(table.closeSend(), comm));
    }

    @Override
    public void closeRecv(long comm) {
        plugIn.check(table.closeRecv(), CCalls.call(table.closeRecv(), comm));
    }

    @Override
    public int isend(long comm, long address, long bytes, int tag, long mhandle, NetWords words) {
        int code = hasProfiler
                ? CCalls.call(table.isend(), comm, address, bytes, tag, mhandle, 0, words.requestAddress())
                : CCalls.call(table.isend(), comm, address, bytes, tag, mhandle, words.requestAddress());
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
                : CCalls.call(table.irecv(), comm, n, words.addressesAddress(), sizes, words.tagsAddress(),
                        words.mhandlesAddress(), words.requestAddress());
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int iflush(long comm, int n, NetWords words) {
        if (!table.iflush().exists()) {
            return 0;
        }
        int code = CCalls.call(table.iflush(), comm, n, words.addressesAddress(), words.intSizesAddress(),
                words.mhandlesAddress(), words.requestAddress());
        Reference.reachabilityFence(words);
        return code;
    }

    @Override
    public int irecvConsumed(long comm, int n, long request) {
        return table.consumed().exists() ? CCalls.call(table.consumed(), comm, n, request) : 0;
    }
}
