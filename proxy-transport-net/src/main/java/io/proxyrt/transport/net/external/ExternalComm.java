/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.plugin.NetLibrary;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** What both ends of a connection have in common. */
abstract class ExternalComm implements NetComm {
    /** What a call returns that is at fault itself; the comm goes on. */
    static final int REFUSED = -ProxyResult.INVALID_ARGUMENT.code();

    final NetLibrary library;
    final ExternalDevice device;
    /** The plug-in's. */
    final long comm;
    final NetWords words = new NetWords();
    final ExternalRequests messages;
    private final List<ExternalMemory> memories = new ArrayList<>();
    private final ExternalNet net;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";
    private boolean isClosed;

    ExternalComm(ExternalNet net, ExternalDevice device, long comm) {
        this.net = net;
        this.library = net.library();
        this.device = device;
        this.comm = comm;
        this.messages = new ExternalRequests(this, 0, device.maxRequests(), NetWords.MAX_RECVS);
        net.use().opened();
        device.opened(this);
    }

    /** The plug-in says that a request is complete: returns 1, or a negated error if that cannot be. */
    abstract int settle(ExternalRequests requests, int place);

    /** Closes the plug-in's comm. */
    abstract void closeComm();

    @Override
    public final NetMemory regMr(MemorySegment buffer) {
        requireOpen();
        PluginLibrary.requireReachable(buffer);
        long address = buffer.byteSize() == 0 ? words.nothing() : buffer.address();
        long bytes = buffer.byteSize() == 0 ? NetWords.NOTHING_BYTES : buffer.byteSize();
        return new ExternalMemory(this, buffer, address, library.regMr(comm, address, bytes));
    }

    @Override
    public final NetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
        requireOpen();
        if (!device.properties().takesDmaBuf()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.describe(library) + " takes no dma-bufs");
        }
        long mhandle = dmaBuf.fd().use(fd ->
                library.regMrDmaBuf(comm, range.address(), range.byteSize(), dmaBuf.offset(), fd));
        return new ExternalMemory(this, range, range.address(), mhandle);
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "a connection of " + device.describe(library)
                    + " that was closed registers nothing");
        }
    }

    final boolean isOpen() {
        return !isClosed;
    }

    /** What is registered with this comm alone. */
    final List<ExternalMemory> memories() {
        return memories;
    }

    /** Returns the memory of a message; null, with the reason in {@link #failure}, if it may not be used so. */
    final ExternalMemory checked(NetMemory memory, long offset, long bytes) {
        if (!(memory instanceof ExternalMemory own) || !own.isUsable() || !own.isFor(this)) {
            refuse("memory is not registered with this connection, or no longer, or was freed");
            return null;
        }
        if ((offset | bytes) < 0 || offset > own.segment().byteSize() - bytes) {
            refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not within the "
                    + own.segment().byteSize() + " registered");
            return null;
        }
        if (bytes > device.properties().maxP2pBytes()) {
            refuse("a message of " + bytes + " bytes is longer than the " + device.properties().maxP2pBytes()
                    + " that " + device.describe(library) + " carries");
            return null;
        }
        return own;
    }

    @Override
    public int test(long request, long[] sizes) {
        return messages.isOwn(request) ? messages.test(request, sizes)
                : refuse("request " + request + " is not outstanding");
    }

    final boolean isFailed() {
        return result.isError();
    }

    /** The negated result: 0 as long as nothing failed. */
    final int code() {
        return -result.code();
    }

    @Override
    public final String failure() {
        return failure;
    }

    /** The plug-in failed, and this comm with it. */
    final int fail(String function, int code) {
        return fail(PluginLibrary.result(code), library.failure(function, device.properties().name(), code));
    }

    final int fail(ProxyResult why, String detail) {
        result = why;
        failure = detail;
        return code();
    }

    final int refuse(String detail) {
        if (!isFailed()) {
            failure = detail;
        }
        return REFUSED;
    }

    @Override
    public final void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (!isFailed()) {
            fail(ProxyResult.INVALID_USAGE, "the connection of " + device.describe(library) + " was closed here");
        }
        List.copyOf(memories).forEach(memory -> memory.deregister(this));
        device.closing(this);
        net.use().end("a connection", this::closeComm);
    }
}
