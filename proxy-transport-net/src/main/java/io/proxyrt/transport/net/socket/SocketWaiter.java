/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;

/** A comm among those that {@link SocketReadiness} asks the selector about; what the selector said of it. */
final class SocketWaiter {
    private final SocketComm comm;
    private final SocketRequests requests;
    private final SocketStandstill standstill;
    /** The thread that tests the comm drives all of its sockets, and no other thread does. */
    private final boolean isDrivenByOne;
    /** Nothing could move a moment ago. */
    private boolean isUnready;

    SocketWaiter(SocketComm comm, SocketRequests requests, SocketStandstill standstill, boolean isDrivenByOne) {
        this.comm = comm;
        this.requests = requests;
        this.standstill = standstill;
        this.isDrivenByOne = isDrivenByOne;
    }

    /** Whether a test would try to move something, which this thread alone does. */
    boolean isWaiting() {
        return isDrivenByOne && requests.isPending();
    }

    /** Takes it that nothing can move, unless the selector says that it is {@link #ready}. */
    void expectNothing(Selector selector) throws ClosedChannelException {
        if (isWaiting()) {
            isUnready = comm.awaitOn(selector) > 0;
        }
    }

    void ready() {
        isUnready = false;
    }

    /** Whether the call under way need not try to move anything. The next one does. */
    boolean skips() {
        boolean skips = isUnready;
        isUnready = false;
        return skips;
    }

    /** As {@link SocketComm#awaitOn}, for a thread that sleeps. */
    long sleepOn(Selector selector) throws ClosedChannelException {
        standstill.hurry();
        return comm.awaitOn(selector);
    }
}
