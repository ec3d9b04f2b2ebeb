/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.nio.channels.SocketChannel;

/** Connects to a handle. */
final class SocketConnectComm implements NetConnectComm {
    private final SocketHandle handle;
    private final SocketTerms terms;
    private final SocketCommFactory factory;
    private final SocketConnector connector;

    SocketConnectComm(SocketSettings settings, SocketHandle handle, SocketCommFactory factory) {
        this.handle = handle;
        this.terms = handle.terms().with(settings.safety().flags());
        this.factory = factory;
        this.connector = new SocketConnector(settings, handle, terms);
    }

    @Override
    public NetSendComm connect() {
        SocketChannel[] channels = connector.connect();
        return channels == null ? null : factory.sender(channels, new SocketSession(connector.session(),
                handle.token(), terms, terms.isResumable() ? handle.resumeAddress() : null, connector.peer()));
    }

    @Override
    public void close() {
        connector.close();
    }
}
