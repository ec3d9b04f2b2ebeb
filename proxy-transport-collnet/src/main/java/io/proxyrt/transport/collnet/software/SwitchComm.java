/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.software;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.CollNetWindow;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.transport.collnet.spi.CollNetComm;
import io.proxyrt.transport.collnet.spi.CollNetMemory;
import io.proxyrt.transport.collnet.wire.WireDescriptor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;

/**
 * A participant's connection with a switch. Calls are written in order and results come in order, at the same time: a
 * switch answers while a call is still being written, so a comm that cannot write goes on reading.
 */
final class SwitchComm implements CollNetComm {
    /** Most bytes of a call, and of its result. */
    static final long MAX_BYTES = 1L << 30;
    /** Of the system calls that one test makes: other comms of the caller have their turn. */
    private static final int MOST_TURNS = 16;

    private final String network;
    private final int nRanks;
    private final int rank;
    private final SwitchSocket socket;
    private final SwitchWaiter waiter;
    private final Runnable whenClosed;
    private final SwitchRequests requests;
    private final CallWriter writer;
    private final ResultReader reader;
    private boolean isClosed;

    /**
     * Over a connection that the switch has let in, which is the comm's from now on.
     *
     * @param network    what the switch is called in messages
     * @param nRanks     how many participants there are
     * @param rank       place among them
     * @param waiter     where a thread sleeps until the comm can move
     * @param whenClosed is run once
     */
    SwitchComm(String network, int nRanks, int rank, SwitchSocket socket, SwitchWaiter waiter, Runnable whenClosed) {
        this.network = network;
        this.nRanks = nRanks;
        this.rank = rank;
        this.socket = socket;
        this.waiter = waiter;
        this.whenClosed = whenClosed;
        this.requests = new SwitchRequests(network);
        this.writer = new CallWriter(socket, requests);
        this.reader = new ResultReader(socket, requests, writer);
        waiter.add(this);
    }

    @Override
    public CollNetMemory regMr(MemorySegment buffer) {
        return new SwitchMemory(buffer, requests);
    }

    @Override
    public long iallreduce(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset, long count,
            DataType type, RedOp op) {
        if (count < 1 || count > MAX_BYTES / type.sizeBytes()) {
            return refuse(count + " elements of " + type.sizeBytes() + " bytes are none, or more than " + MAX_BYTES
                    + " bytes");
        }
        long bytes = count * type.sizeBytes();
        SwitchCall call = requests.next();
        return call == null ? requests.code() : post(call.of(CollFunction.ALL_REDUCE, type, op).window(bytes, 0, bytes)
                .sending(send, sendOffset, bytes).receiving(recv, recvOffset, bytes));
    }

    @Override
    public long iallgather(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
            CollNetWindow window) {
        if (!isWindow(window, 1)) {
            return refuse(window, 1);
        }
        SwitchCall call = requests.next();
        return call == null ? requests.code() : post(call.of(CollFunction.ALL_GATHER, DataType.INT8, RedOp.SUM)
                .window(window.bytesPerRank(), window.offset(), window.bytes())
                .sending(send, sendOffset, window.length(rank)).receiving(recv, recvOffset, window.bytes()));
    }

    @Override
    public long ireducescatter(CollNetMemory send, long sendOffset, CollNetMemory recv, long recvOffset,
            CollNetWindow window, DataType type, RedOp op) {
        if (!isWindow(window, type.sizeBytes())) {
            return refuse(window, type.sizeBytes());
        }
        SwitchCall call = requests.next();
        return call == null ? requests.code() : post(call.of(CollFunction.REDUCE_SCATTER, type, op)
                .window(window.bytesPerRank(), window.offset(), window.bytes())
                .sending(send, sendOffset, window.bytes()).receiving(recv, recvOffset, window.length(rank)));
    }

    /** Results are where they belong, by the CPU. */
    @Override
    public long iflush(CollNetMemory recv, long offset, long bytes) {
        return 0;
    }

    @Override
    public int test(long request) {
        if (requests.isPending(request)) {
            drive(request);
        }
        return requests.test(request);
    }

    /** Has a selector wake its thread when the comm may move. Returns false if there is nothing to wait for. */
    boolean awaitOn(Selector selector) throws ClosedChannelException {
        return requests.complete() < requests.posted()
                && socket.awaitOn(selector, writer.flushed() < requests.posted());
    }

    @Override
    public String network() {
        return network;
    }

    @Override
    public String failure() {
        return requests.failure();
    }

    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            fail(ProxyResult.INVALID_USAGE, "the comm was closed here");
            whenClosed.run();
        }
    }

    /** Takes a call that has been described, if it is sound, and begins to write it if none is being written. */
    private long post(SwitchCall call) {
        if (call.op == RedOp.AVG) {
            return refuse("a switch does not reduce by " + call.op.label() + "; have it sum, and divide");
        }
        if (!isRange(call.send, call.sendOffset, call.sendBytes)) {
            return refuse(call.send, call.sendOffset, call.sendBytes);
        }
        if (!isRange(call.recv, call.recvOffset, call.recvBytes)) {
            return refuse(call.recv, call.recvOffset, call.recvBytes);
        }
        boolean isIdle = writer.flushed() == requests.posted();
        long request = requests.take();
        if (isIdle) {
            write(request);
        }
        return requests.isFailed() ? requests.code() : request;
    }

    /** Whether it is one, in whole elements of so many bytes, a power of two. */
    private boolean isWindow(CollNetWindow window, int elementBytes) {
        long perRank = window.bytesPerRank();
        return window.isWithin(nRanks) && perRank <= WireDescriptor.MAX_CALL_BYTES / nRanks
                && window.bytes() <= MAX_BYTES && (perRank | window.offset() | window.bytes()) % elementBytes == 0;
    }

    /** Where no bytes move, no place has a meaning. */
    private boolean isRange(SwitchMemory memory, long offset, long bytes) {
        return memory != null && memory.isUsable() && memory.isFor(requests)
                && (bytes == 0 || memory.has(offset, bytes));
    }

    private int refuse(CollNetWindow window, int elementBytes) {
        return refuse("bytes " + window.offset() + " to " + window.offset() + " + " + window.bytes() + " of " + nRanks
                + " x " + window.bytesPerRank() + " are no window of at most " + MAX_BYTES + " bytes, in elements of "
                + elementBytes);
    }

    private int refuse(SwitchMemory memory, long offset, long bytes) {
        if (memory == null || !memory.isUsable()) {
            return refuse("memory is not registered with this network, or no longer, or was freed");
        }
        return refuse(memory.isFor(requests)
                ? "bytes " + offset + " to " + offset + " + " + bytes + " are not within the "
                        + memory.segment().byteSize() + " registered"
                : "the memory is registered with another comm than this one of " + network);
    }

    private int refuse(String detail) {
        return requests.isFailed() ? requests.code() : requests.refuse(detail);
    }

    /** Begins to write what was just posted. */
    private void write(long request) {
        boolean isMoving = true;
        for (int i = 0; isMoving && i < MOST_TURNS && writer.flushed() < request; i++) {
            isMoving = push();
        }
    }

    /** Moves data until the request is complete or nothing can move. */
    private void drive(long request) {
        boolean isMoving = true;
        for (int i = 0; isMoving && i < MOST_TURNS && requests.isPending(request); i++) {
            isMoving = push() | pull();
            settle();
        }
    }

    private boolean push() {
        try {
            return writer.push();
        } catch (IOException e) {
            readLast();
            broke(e);
        } catch (IllegalStateException e) {
            freed(e);
        }
        return false;
    }

    private boolean pull() {
        if (requests.isFailed()) {
            return false;
        }
        try {
            return reader.pull();
        } catch (ProxyException e) {
            fail(e.result(), e.getMessage());
        } catch (IOException e) {
            broke(e);
        } catch (IllegalStateException e) {
            freed(e);
        }
        return false;
    }

    /** The connection takes nothing any more: perhaps the switch has said why, behind the last results. */
    private void readLast() {
        while (pull()) {
            settle();
        }
    }

    /** A request is complete when its result is in place, and its own memory is no longer needed. */
    private void settle() {
        long done = Math.min(reader.received(), writer.flushed());
        while (requests.complete() < done) {
            requests.completeNext();
        }
    }

    private void broke(IOException e) {
        fail(ProxyResult.REMOTE_ERROR, e.getMessage() + ", in call " + requests.complete());
    }

    private void freed(IllegalStateException e) {
        fail(ProxyResult.INVALID_USAGE, "memory was freed while call " + requests.complete() + " used it: "
                + e.getMessage());
    }

    /** The other participants hear of it by the end of the connection. */
    private void fail(ProxyResult result, String detail) {
        requests.fail(result, detail);
        socket.close();
        waiter.leave(this);
    }
}
