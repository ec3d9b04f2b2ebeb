/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetMemory;
import java.io.EOFException;
import java.io.IOException;

/**
 * The requests of a comm, and the failure that ends them. Requests are numbered as their messages, so a request is
 * refused while the one 32 before it has not been tested to its end.
 *
 * <pre>
 *  tested  ≤  complete  ≤  posted  ≤  tested + 32     (when tested in order)
 * </pre>
 */
final class SocketRequests {
    final SocketMessages messages;
    private final String peer;
    private final boolean[] isOutstanding = new boolean[SocketMessages.MAX];
    private long posted;
    private long complete;
    private ProxyResult result = ProxyResult.SUCCESS;
    private String failure = "";

    SocketRequests(SocketSession session) {
        this.messages = new SocketMessages(session.terms());
        this.peer = session.peer();
    }

    /** Requests taken so far, and so the number of the last one. */
    long posted() {
        return posted;
    }

    /** Requests done so far: those up to this number. */
    long complete() {
        return complete;
    }

    /** Takes note that the next message is through. */
    void completeNext() {
        assert complete < posted : complete + " of " + posted;
        complete++;
    }

    /** Takes a request; returns 0 if there is no place for it, or a negated error. */
    long post(NetMemory memory, long offset, long bytes, int tag) {
        if (isFailed()) {
            return code();
        }
        if (!(memory instanceof SocketMemory registered) || !registered.isUsable()) {
            return refuse("memory is not registered with this network, or no longer, or was freed");
        }
        if ((offset | bytes) < 0 || offset > registered.segment().byteSize() - bytes) {
            return refuse("bytes " + offset + " to " + offset + " + " + bytes + " are not within the "
                    + registered.segment().byteSize() + " registered");
        }
        if (!registered.isFor(messages)) {
            return refuse("the memory is registered with another connection than that with " + peer);
        }
        int place = SocketMessages.place(posted + 1);
        if (isOutstanding[place]) {
            return 0;
        }
        isOutstanding[place] = true;
        messages.memories[place] = registered;
        messages.offsets[place] = offset;
        messages.sizes[place] = bytes;
        messages.tags[place] = tag;
        return ++posted;
    }

    /** Whether a request was taken, is not complete, and still can be. */
    boolean isPending(long request) {
        return complete < request && request <= posted && !result.isError();
    }

    /** Whether there is a request for which that holds. */
    boolean isPending() {
        return complete < posted && !result.isError();
    }

    /** What {@code test} says of a request as things are. On 1 the request is over, and sizes has its bytes. */
    int test(long request, long[] sizes) {
        if (request <= 0 || request > posted || request <= posted - SocketMessages.MAX
                || !isOutstanding[SocketMessages.place(request)]) {
            return refuse("request " + request + " is not outstanding on the connection with " + peer);
        }
        if (request > complete) {
            return code();
        }
        int place = SocketMessages.place(request);
        isOutstanding[place] = false;
        sizes[0] = messages.sizes[place];
        return 1;
    }

    boolean isFailed() {
        return result.isError();
    }

    /** The negated result: 0 as long as nothing failed. */
    int code() {
        return -result.code();
    }

    /** Why the last call failed, or all do from now on; empty if none did. */
    String failure() {
        return failure;
    }

    void fail(ProxyResult result, String detail) {
        this.result = result;
        this.failure = detail;
    }

    int refuse(String detail) {
        if (!isFailed()) {
            failure = detail;
        }
        return -ProxyResult.INVALID_ARGUMENT.code();
    }

    void closedByPeer() {
        fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + " was closed by the peer in message "
                + (complete + 1));
    }

    /** Fails for what a system call threw: the socket broke, or memory of a message was freed. */
    void broke(Exception e) {
        if (e instanceof EOFException) {
            closedByPeer();
        } else if (e instanceof IOException) {
            fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + " broke in message " + (complete + 1) + ": "
                    + e.getMessage());
        } else {
            fail(ProxyResult.INVALID_USAGE, "memory was freed while a message of the connection to " + peer
                    + " used it: " + e.getMessage());
        }
    }

    /** Takes no more from now on. */
    void close() {
        if (!isFailed()) {
            fail(ProxyResult.INVALID_USAGE, "connection to " + peer + " was closed here");
        }
    }
}
