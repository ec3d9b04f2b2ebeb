/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.jfr.Jfr;
import io.proxyrt.core.jfr.ReconnectEvent;
import java.io.IOException;

/**
 * Brings a socket back that broke. Used by the thread that drives the socket.
 *
 * <p>The connector of a connection is its sender, so the sender dials again, and the receiver waits for it.
 */
abstract class SocketRepair {
    final int index;
    final SocketSession session;
    final SocketSettings settings;
    private final long budgetNs;
    private boolean isBroken;
    /** What is left of the budget: time that the socket is up does not count. */
    private long leftNs;
    private long deadlineNs;
    private String cause = "";
    /** Null if it broke while no recording wanted it. */
    private ReconnectEvent recorded;

    SocketRepair(int index, SocketSession session, SocketSettings settings) {
        this.index = index;
        this.session = session;
        this.settings = settings;
        this.budgetNs = settings.safety().resumeNs();
        this.leftNs = budgetNs;
    }

    /** Takes note that the socket broke, and closes what is left of it. The budget runs from now on. */
    final void begin(SocketWire wire, IOException why) {
        wire.close();
        if (isBroken) {
            return;
        }
        SocketChannels.LOG.info("rank {}: socket {} of the connection with {} broke: {}", settings.rank(), index,
                session.peer(), why.toString());
        isBroken = true;
        cause = why.getMessage();
        deadlineNs = System.nanoTime() + leftNs;
        if (Jfr.recordsReconnects()) {
            recorded = new ReconnectEvent();
            recorded.begin();
        }
    }

    private void record(boolean isBack) {
        if (recorded != null) {
            recorded.rank = settings.rank();
            recorded.connection = "socket " + index + " of the connection with " + session.peer();
            recorded.cause = cause;
            recorded.isBack = isBack;
            recorded.commit();
            recorded = null;
        }
    }

    /** Whether there is something to repair. */
    boolean isDue() {
        return isBroken;
    }

    /**
     * Goes on. Returns whether the socket is up again, and then the cursor says how far it is.
     *
     * @param complete the receiver's last complete message
     * @throws IOException when the budget is used up
     */
    final boolean advance(SocketWire wire, SocketCursor cursor, long complete) throws IOException {
        if (isBroken) {
            leftNs = deadlineNs - System.nanoTime();
        }
        if (restore(wire, cursor, complete)) {
            isBroken = false;
            record(true);
            return true;
        }
        if (isBroken && leftNs < 0) {
            record(false);
            throw new IOException(cause + "; it did not come back within " + budgetNs / 1_000_000 + " ms");
        }
        return false;
    }

    /** What advance does, but for the budget. */
    abstract boolean restore(SocketWire wire, SocketCursor cursor, long complete);

    /** The connection has got on since it broke: the next time the budget is whole again. */
    final void renewBudget() {
        leftNs = budgetNs;
    }

    /** The connection closes: a socket that is broken by then does not come back. Idempotent. */
    final void close() {
        record(false);
        letGo();
    }

    /** Lets go of what a repair under way holds. */
    abstract void letGo();
}
