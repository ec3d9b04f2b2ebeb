/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.external;

import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.plugin.CollNetLibrary;
import io.proxyrt.core.plugin.NetWords;
import io.proxyrt.core.plugin.PluginLibrary;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A participant's part of a plug-in's collectives. */
final class ExternalComm implements CollNetComm {
    /** What every comm bears. A plug-in may fail for more, rather than refuse them. */
    static final int MAX_CALLS = 8;

    /** A flush cannot be refused, and the transport has one under way. */
    private static final int MAX_FLUSHES = 8;
    /** What a call returns that is at fault itself; the comm goes on. */
    private static final int REFUSED = -ProxyResult.INVALID_ARGUMENT.code();

    private final ExternalCollNet net;
    private final CollNetLibrary library;
    private final ExternalDevice device;
    /** The plug-in's. */
    private final long comm;
    private final int nRanks;
    private final int rank;
    private final ExternalCalls calls;
    private final ExternalRequests collectives = new ExternalRequests(this, 0, MAX_CALLS);
    private final ExternalRequests flushes = new ExternalRequests(this, 1, MAX_FLUSHES);
    /** Service thread. */
    private final List<ExternalMemory> memories = new ArrayList<>();
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";
    private boolean isClosed;

    ExternalComm(ExternalCollNet net, ExternalDevice device, long comm, int nRanks, int rank) {
        this.net = net;
        this.library = net.library();
        this.device = device;
        this.comm = comm;
        this.nRanks = nRanks;
        this.rank = rank;
        this.calls = new ExternalCalls(library, comm);
        net.use().opened();
    }

    CollNetLibrary library() {
        return library;
    }

    /** The plug-in's. */
    long comm() {
        return comm;
    }

    @Override
    public CollNetMemory regMr(MemorySegment buffer) {
        requireOpen();
        PluginLibrary.requireReachable(buffer);
        boolean isNothing = buffer.byteSize() == 0;
        long address = isNothing ? calls.words().nothing() : buffer.address();
        long bytes = isNothing ? NetWords.NOTHING_BYTES : buffer.byteSize();
        return opened(new ExternalMemory(this, buffer, address, library.regMr(comm, address, bytes), false));
    }

    @Override
    public CollNetMemory regMrDmaBuf(MemorySegment range, DmaBuf dmaBuf) {
        requireOpen();
        if (!device.takesDmaBuf()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, device.describe(library) + " takes no dma-bufs");
        }
        long mhandle = dmaBuf.fd().use(fd ->
                library.regMrDmaBuf(comm, range.address(), range.byteSize(), dmaBuf.offset(), fd));
        return opened(new ExternalMemory(this, range, range.address(), mhandle, true));
    }

    private void requireOpen() {
        if (isClosed) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "a comm of " + device.describe(library)
                    + " that was closed registers nothing");
        }
    }

    private ExternalMemory opened(ExternalMemory memory) {
        memories.add(memory);
        return memory;
    }

    void closing(ExternalMemory memory) {
        memories.remove(memory);
    }

    @Override
    public long iallreduce(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset, long count,
            DataType type, RedOp op) {
        if (isFailed()) {
            return code();
        }
        if (count < 1 || count > device.maxBytes() / type.sizeBytes()) {
            return refuse(count + " elements of " + type + "; " + device.describe(library) + " carries 1 to "
                    + device.maxBytes() / type.sizeBytes());
        }
        ExternalMemory from = checked(send, sendOffset, count * type.sizeBytes());
        ExternalMemory to = checked(recv, recvOffset, count * type.sizeBytes());
        if (from == null || to == null || !isReduced(type, op)) {
            return REFUSED;
        }
        return collectives.hasRoom() ? posted("iallreduce",
                calls.iallreduce(from, sendOffset, to, recvOffset, count, type, op)) : 0;
    }

    @Override
    public long iallgather(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
            CollNetWindow window) {
        if (isFailed() || !hasWindows("iallgather")) {
            return isFailed() ? code() : -ProxyResult.INVALID_USAGE.code();
        }
        if (!isCarried(window, 1)) {
            return REFUSED;
        }
        long fromOffset = window.length(rank) == 0 ? 0 : sendOffset;
        ExternalMemory from = checked(send, fromOffset, window.length(rank));
        ExternalMemory to = checked(recv, recvOffset, window.bytes());
        if (from == null || to == null) {
            return REFUSED;
        }
        return collectives.hasRoom() ? posted("iallgather",
                calls.iallgather(from, fromOffset, to, recvOffset, window)) : 0;
    }

    @Override
    public long ireducescatter(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
            CollNetWindow window, DataType type, RedOp op) {
        if (isFailed() || !hasWindows("ireducescatter")) {
            return isFailed() ? code() : -ProxyResult.INVALID_USAGE.code();
        }
        if (!isCarried(window, type.sizeBytes()) || !isReduced(type, op)) {
            return REFUSED;
        }
        long toOffset = window.length(rank) == 0 ? 0 : recvOffset;
        ExternalMemory from = checked(send, sendOffset, window.bytes());
        ExternalMemory to = checked(recv, toOffset, window.length(rank));
        if (from == null || to == null) {
            return REFUSED;
        }
        return collectives.hasRoom() ? posted("ireducescatter",
                calls.ireducescatter(from, sendOffset, to, toOffset, window, type, op)) : 0;
    }

    @Override
    public long iflush(CollNetMemory recv, long offset, long bytes) {
        if (isFailed()) {
            return code();
        }
        ExternalMemory of = checked(recv, offset, bytes);
        if (of == null) {
            return REFUSED;
        }
        if (bytes == 0 || !of.isOfDevice()) {
            return 0;
        }
        if (!flushes.hasRoom()) {
            return fail(ProxyResult.INTERNAL_ERROR, MAX_FLUSHES + " flushes of " + device.describe(library)
                    + " are under way, and none may be left out");
        }
        // A flush waits for the writes before it, to whatever part of the memory.
        int code = calls.iflush(of, offset, (int) Math.min(bytes, Integer.MAX_VALUE));
        if (PluginLibrary.isError(code)) {
            return fail("iflush", code);
        }
        long pointer = calls.words().request();
        return pointer == 0 ? 0 : flushes.post(pointer);
    }

    private long posted(String function, int code) {
        if (PluginLibrary.isError(code)) {
            return fail(function, code);
        }
        long pointer = calls.words().request();
        return pointer == 0 ? 0 : collectives.post(pointer);
    }

    private boolean hasWindows(String function) {
        if (!library.hasWindows()) {
            refuse("the plug-in has no " + function + ", by its ncclCollNet_v" + library.version());
        }
        return library.hasWindows();
    }

    private boolean isReduced(DataType type, RedOp op) {
        boolean isReduced = net.reduceSupport(type, op);
        if (!isReduced) {
            refuse(device.describe(library) + " has no " + op + " of " + type);
        }
        return isReduced;
    }

    /** Whether a window can be carried. */
    private boolean isCarried(CollNetWindow window, int elementBytes) {
        long part = window.bytesPerRank();
        boolean isInOrder = window.isWithin(nRanks) && window.bytes() <= device.maxBytes()
                && (part | window.offset() | window.bytes()) % elementBytes == 0;
        if (!isInOrder) {
            refuse("a window of " + window.bytes() + " bytes from byte " + window.offset() + " of " + nRanks
                    + " parts of " + part + ", in elements of " + elementBytes + "; " + device.describe(library)
                    + " carries up to " + device.maxBytes());
        }
        return isInOrder;
    }

    /** Returns the memory of a call; null, with the reason in {@link #failure}, if it may not be used so. */
    private ExternalMemory checked(CollNetMemory memory, long offset, long bytes) {
        if (!(memory instanceof ExternalMemory own) || !own.isUsable(this)) {
            refuse("memory is not registered with this comm, or no longer, or was freed");
            return null;
        }
        if ((offset | bytes) < 0 || offset > own.segment().byteSize() - bytes) {
            refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not within the "
                    + own.segment().byteSize() + " registered");
            return null;
        }
        return own;
    }

    @Override
    public int test(long request) {
        return flushes.isOwn(request) ? flushes.test(request) : collectives.test(request);
    }

    /** Asks the plug-in for a request; returns 1 if it is complete, 0 if not, a negated error. */
    int ask(long pointer) {
        if (isFailed()) {
            return code();
        }
        int code = calls.test(pointer);
        if (PluginLibrary.isError(code)) {
            return fail("test", code);
        }
        return calls.words().isDone() ? 1 : 0;
    }

    private boolean isFailed() {
        return result.isError();
    }

    private int code() {
        return -result.code();
    }

    @Override
    public String network() {
        return device.describe(library);
    }

    @Override
    public String failure() {
        return failure;
    }

    /** The plug-in failed, and this comm with it. */
    private int fail(String function, int code) {
        return fail(PluginLibrary.result(code), library.failure(function, device.properties().name(), code));
    }

    private int fail(ProxyResult why, String detail) {
        result = why;
        failure = detail;
        return code();
    }

    int refuse(String detail) {
        if (!isFailed()) {
            failure = detail;
        }
        return REFUSED;
    }

    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        if (!isFailed()) {
            fail(ProxyResult.INVALID_USAGE, "the comm of " + device.describe(library) + " was closed here");
        }
        List.copyOf(memories).forEach(ExternalMemory::close);
        net.use().end("a comm", () -> library.closeColl(comm));
    }
}
