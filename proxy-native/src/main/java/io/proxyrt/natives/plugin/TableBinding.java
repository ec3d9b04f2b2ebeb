/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.plugin;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.plugin.NetLibraryProperties;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.natives.CCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Calls what the tables of a version have in common. */
abstract class TableBinding implements PluginLibrary {
    /** The first version whose init, listen and finalize have a context; before, init is called once in the process. */
    private static final int SINCE_CONTEXT = 11;
    /** The first version whose regMr takes a size_t as the size, not an int. */
    private static final int SINCE_LONG_REGIONS = 8;

    final PlugIn plugIn;
    final boolean hasContext;
    private final TableReader reader;
    private final PropertiesLayout layout;
    private CommonTable table;
    private boolean isComplete;
    private boolean isInitialized;

    /** The table's interface is {@code ncclNet} or {@code ncclCollNet}. */
    TableBinding(String file, String tableInterface, TableReader reader, CommonTable table) {
        reader.checkInit();
        this.reader = reader;
        this.plugIn = new PlugIn(file, tableInterface + "_v" + table.version(), table.name(),
                Subsystem.NET);
        this.table = table;
        this.layout = PropertiesLayout.of(table.version());
        this.hasContext = table.version() >= SINCE_CONTEXT;
    }

    /** Reads the table again; returns what it has in common with others. */
    abstract CommonTable read(TableReader again);

    /** Calls init, with the place of a context from version 11 on; returns the plug-in's code. */
    abstract int callInit(long context);

    @Override
    public final String file() {
        return plugIn.file();
    }

    @Override
    public final int version() {
        return table.version();
    }

    @Override
    public final String name() {
        return plugIn.name();
    }

    @Override
    public final String lastWarning() {
        return plugIn.logger().lastWarning();
    }

    @Override
    public final long init() {
        long context = hasContext ? initContext() : initProcess();
        complete(context);
        return context;
    }

    /** There are plug-ins that fill their table, and may change their name, while they are initialized. */
    private synchronized void complete(long context) {
        if (isComplete) {
            return;
        }
        CommonTable filled = read(reader);
        try {
            reader.check();
        } catch (ProxyException e) {
            if (filled.finish().exists()) {
                CCalls.call(filled.finish(), context);
            }
            throw e;
        }
        table = filled;
        plugIn.name(filled.name());
        isComplete = true;
    }

    private long initContext() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(JAVA_LONG);
            plugIn.check(table.init(), callInit(context.address()));
            return context.get(JAVA_LONG, 0);
        }
    }

    private synchronized long initProcess() {
        if (!isInitialized) {
            plugIn.check(table.init(), callInit(0));
            isInitialized = true;
        }
        return 0;
    }

    @Override
    public final void finish(long context) {
        if (table.finish().exists()) {
            plugIn.check(table.finish(), CCalls.call(table.finish(), context));
        }
    }

    @Override
    public final int devices() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            plugIn.check(table.devices(), CCalls.call(table.devices(), count.address()));
            return count.get(JAVA_INT, 0);
        }
    }

    @Override
    public final NetLibraryProperties properties(int dev) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(PropertiesLayout.BYTES, Long.BYTES);
            plugIn.check(table.getProperties(), CCalls.call(table.getProperties(), dev, memory.address()));
            return layout.read(memory);
        }
    }

    @Override
    public final long listen(long context, int dev, MemorySegment handle) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment comm = arena.allocate(JAVA_LONG);
            plugIn.check(table.listen(), hasContext
                    ? CCalls.call(table.listen(), context, dev, handle.address(), comm.address())
                    : CCalls.call(table.listen(), dev, handle.address(), comm.address()));
            return comm.get(JAVA_LONG, 0);
        } finally {
            Reference.reachabilityFence(handle);
        }
    }

    @Override
    public final long regMr(long comm, long address, long bytes) {
        if (table.version() < SINCE_LONG_REGIONS && bytes > Integer.MAX_VALUE) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, bytes + " bytes of memory are more than "
                    + plugIn.describe(table.regMr()) + " can be told");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mhandle = arena.allocate(JAVA_LONG);
            plugIn.check(table.regMr(), CCalls.call(table.regMr(), comm, address, bytes,
                    NetLibraryProperties.PTR_HOST, mhandle.address()));
            return mhandle.get(JAVA_LONG, 0);
        }
    }

    @Override
    public final long regMrDmaBuf(long comm, long address, long bytes, long offset, int fd) {
        if (!table.regMrDmaBuf().exists()) {
            throw plugIn.lacks(table.regMrDmaBuf());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mhandle = arena.allocate(JAVA_LONG);
            // A dma-buf may be of any GPU, and NCCL says so in this way.
            plugIn.check(table.regMrDmaBuf(), CCalls.call(table.regMrDmaBuf(), comm, address, bytes,
                    NetLibraryProperties.PTR_CUDA, offset, fd, mhandle.address()));
            return mhandle.get(JAVA_LONG, 0);
        }
    }

    @Override
    public final void deregMr(long comm, long mhandle) {
        plugIn.check(table.deregMr(), CCalls.call(table.deregMr(), comm, mhandle));
    }

    @Override
    public final void closeListen(long comm) {
        plugIn.check(table.closeListen(), CCalls.call(table.closeListen(), comm));
    }

    @Override
    public final int test(long request, NetWords words) {
        int code = CCalls.call(table.test(), request, words.doneAddress(), words.actualAddress());
        // The call has but an address: the collector would free the memory of words without references.
        Reference.reachabilityFence(words);
        return code;
    }
}
