/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.nio.channels.SocketChannel;

/**
 * Makes comms of connected sockets: data sockets first, the control socket last.
 *
 * @param settings  of the runtime
 * @param engine    of the network
 * @param readiness of the network
 * @param keeper    of the network; null if connections that break are not resumed
 * @param threads   helper threads of this end of a connection, at most
 */
record SocketCommFactory(SocketSettings settings, SocketEngine engine, SocketReadiness readiness, SocketKeeper keeper,
        int threads) {
    NetSendComm sender(SocketChannel[] channels, SocketSession session) {
        SocketSendComm comm = new SocketSendComm(this, channels, session);
        join(comm, comm.waiter(), session);
        return comm;
    }

    NetRecvComm receiver(SocketChannel[] channels, SocketSession session) {
        SocketRecvComm comm = new SocketRecvComm(this, channels, session);
        join(comm, comm.waiter(), session);
        return comm;
    }

    /** Has no thread look after a comm any more, but the one that is about to close it. */
    void leave(SocketComm comm, SocketWaiter waiter) {
        if (keeper != null) {
            keeper.forget(comm);
        }
        readiness.leave(waiter);
    }

    private void join(SocketComm comm, SocketWaiter waiter, SocketSession session) {
        readiness.add(waiter);
        if (session.terms().isResumable()) {
            keeper.keep(comm);
        }
    }
}
