/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.SocketOptions;

/** Fails a comm whose sockets stand still for too long while the peer has something to do. */
final class SocketStandstill {
    /** How many fruitless calls pass between two looks at the clock, less one. */
    private static final int CLOCK_MASK = 15;

    private final SocketRequests requests;
    private final String peer;
    private final long timeoutNs;
    private int fruitless;
    private long lastTotal = -1;
    private long lastMovedNs;

    SocketStandstill(SocketRequests requests, String peer, long timeoutNs) {
        this.requests = requests;
        this.peer = peer;
        this.timeoutNs = timeoutNs;
    }

    /** Counts a fruitless call. Returns whether it is time to {@link #look}. */
    boolean isDue() {
        return timeoutNs > 0 && (++fruitless & CLOCK_MASK) == 0;
    }

    /** The caller sleeps, and so makes few calls: the next one looks at the clock. */
    void hurry() {
        fruitless = CLOCK_MASK;
    }

    /** Takes note of how many bytes were moved so far, and of whether the peer has to move the next ones. */
    void look(long total, boolean isPeerDue) {
        long nowNs = System.nanoTime();
        if (total != lastTotal || !isPeerDue) {
            lastTotal = total;
            lastMovedNs = nowNs;
        } else if (nowNs - lastMovedNs > timeoutNs) {
            requests.fail(ProxyResult.REMOTE_ERROR, "connection to " + peer + " stood still for "
                    + timeoutNs / 1_000_000 + " ms in message " + (requests.complete() + 1) + ", see "
                    + SocketOptions.TIMEOUT);
        }
    }
}
