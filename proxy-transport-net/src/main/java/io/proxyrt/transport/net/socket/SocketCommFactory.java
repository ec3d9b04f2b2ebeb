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
        return joined(new SocketSendComm(this, channels, session));
    }

    NetRecvComm receiver(SocketChannel[] channels, SocketSession session) {
        return joined(new SocketRecvComm(this, channels, session));
    }

    /** Takes a comm from the keeper: only the thread that is about to close it uses it now. */
    void leave(SocketComm comm) {
        if (keeper != null) {
            keeper.forget(comm);
        }
        readiness.leave(comm);
    }

    private <C extends SocketComm> C joined(C comm) {
        readiness.add(comm);
        if (comm.session.terms().isResumable()) {
            keeper.keep(comm);
        }
        return comm;
    }
}
