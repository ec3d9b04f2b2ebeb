/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetComm;
import io.proxyrt.transport.net.spi.NetMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * One end of a connection: its requests and its failure. Requests are numbered from 1 on; number r has place
 * (r - 1) mod 32, so a request is refused while the one 32 before it has not been tested to its end.
 *
 * <pre>
 *  tested  ≤  complete  ≤  posted  ≤  tested + 32     (when tested in order)
 * </pre>
 */
abstract class SocketComm implements NetComm {
    static final int MAX_REQUESTS = 32;

    final SocketChannel channel;
    final SocketMemory[] memories = new SocketMemory[MAX_REQUESTS];
    final long[] offsets = new long[MAX_REQUESTS];
    final long[] sizes = new long[MAX_REQUESTS];
    final int[] tags = new int[MAX_REQUESTS];
    /** Requests taken so far, and so the number of the last one. */
    long posted;
    /** Requests done so far: those up to this number. */
    long complete;
    private final boolean[] isOutstanding = new boolean[MAX_REQUESTS];
    private final String peer;
    private final SocketReadiness readiness;
    private final int awaitedOps;
    private SelectionKey key;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";

    /** A comm over a connected channel; awaitedOps is what an incomplete request waits for. */
    SocketComm(SocketChannel channel, String peer, SocketReadiness readiness, int awaitedOps) {
        this.channel = channel;
        this.peer = peer;
        this.readiness = readiness;
        this.awaitedOps = awaitedOps;
        readiness.add(this);
    }

    /** Has the selector wake for what this comm waits for now, if anything. */
    final void awaitOn(Selector selector) throws ClosedChannelException {
        int ops = complete < posted && !result.isError() ? awaitedOps : 0;
        if (key == null) {
            key = channel.register(selector, ops);
        } else if (key.isValid() && key.interestOps() != ops) {
            key.interestOps(ops);
        }
    }

    static int place(long request) {
        return (int) (request - 1) & MAX_REQUESTS - 1;
    }

    /** Moves data until the request is complete or nothing can move; does not touch what lies behind the request. */
    abstract void progress(long request) throws IOException;

    @Override
    public NetMemory regMr(MemorySegment buffer) {
        return SocketMemory.of(buffer);
    }

    @Override
    public final int test(long request, long[] sizes) {
        if (request <= 0 || request > posted || request <= posted - MAX_REQUESTS || !isOutstanding[place(request)]) {
            return refuse("request " + request + " is not outstanding on the connection with " + peer);
        }
        if (request > complete) {
            drive(request);
            if (request > complete) {
                return -result.code();
            }
        }
        int place = place(request);
        isOutstanding[place] = false;
        sizes[0] = this.sizes[place];
        return 1;
    }

    @Override
    public final String failure() {
        return failure;
    }

    @Override
    public void close() {
        SocketChannels.close(channel);
        readiness.remove(this);
    }

    /** Takes a request; returns 0 if there is no place for it, or a negated error. */
    final long post(NetMemory memory, long offset, long bytes, int tag) {
        if (result.isError()) {
            return -result.code();
        }
        if (!(memory instanceof SocketMemory ours) || !ours.isUsable()) {
            return refuse("memory is not registered with this network, or no longer, or was freed");
        }
        if ((offset | bytes) < 0 || offset > memory.segment().byteSize() - bytes) {
            return refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not within the "
                    + memory.segment().byteSize() + " registered");
        }
        int place = place(posted + 1);
        if (isOutstanding[place]) {
            return 0;
        }
        isOutstanding[place] = true;
        memories[place] = ours;
        offsets[place] = offset;
        sizes[place] = bytes;
        tags[place] = tag;
        return ++posted;
    }

    final void drive(long request) {
        if (result.isError()) {
            return;
        }
        try {
            progress(request);
        } catch (IOException e) {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + " broke: " + e.getMessage());
        } catch (IllegalStateException e) {
            fail(ProxyResult.INVALID_USAGE, "memory was freed while a message of the connection to " + peer
                    + " used it: " + e.getMessage());
        }
    }

    final void closedByPeer() {
        fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + " was closed by the peer");
    }

    final void fail(ProxyResult result, String detail) {
        this.result = result;
        this.failure = detail;
    }

    final ProxyResult result() {
        return result;
    }

    final String peer() {
        return peer;
    }

    final int refuse(String detail) {
        if (!result.isError()) {
            failure = detail;
        }
        return -ProxyResult.INVALID_ARGUMENT.code();
    }
}
