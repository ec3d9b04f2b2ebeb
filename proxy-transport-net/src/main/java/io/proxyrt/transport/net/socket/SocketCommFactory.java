/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.spi.NetRecvComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.nio.channels.SocketChannel;

/**
 * Makes comms of connected sockets.
 *
 * @param settings  of the runtime
 * @param engine    of the network
 * @param readiness of the network
 * @param threads   helper threads of this end of a connection, at most
 */
record SocketCommFactory(SocketSettings settings, SocketEngine engine, SocketReadiness readiness, int threads) {
    /** Data sockets first, the control socket last. */
    NetSendComm sender(SocketChannel[] channels, SocketTerms terms, String peer) {
        return new SocketSendComm(this, channels, terms, peer);
    }

    /** Data sockets first, the control socket last. */
    NetRecvComm receiver(SocketChannel[] channels, SocketTerms terms, String peer) {
        return new SocketRecvComm(this, channels, terms, peer);
    }
}
