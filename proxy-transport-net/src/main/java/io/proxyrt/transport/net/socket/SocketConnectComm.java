/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.transport.net.spi.NetConnectComm;
import io.proxyrt.transport.net.spi.NetSendComm;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * Connects to a handle, and is done when the listener has answered that it took all sockets. What was sent before might
 * be all there is to send, and a listener turns away who has left by then.
 */
final class SocketConnectComm implements NetConnectComm {
    private final SocketCommFactory factory;
    private final SocketConnector connector;
    private final SocketSession session;
    private final int control;
    private final ByteBuffer answer = ByteBuffer.allocate(SocketAnswer.BYTES);
    /** All said hello; null until then, and once they are handed over. */
    private SocketChannel[] channels;

    SocketConnectComm(SocketSettings settings, SocketHandle handle, SocketCommFactory factory) {
        SocketTerms terms = handle.terms().with(settings.safety().flags());
        this.factory = factory;
        this.connector = new SocketConnector(settings, handle, terms);
        this.control = terms.sockets();
        this.session = new SocketSession(connector.session(), handle.token(), terms,
                terms.isResumable() ? handle.resumeAddress() : null, connector.peer());
    }

    @Override
    public NetSendComm connect() {
        if (channels == null) {
            channels = connector.connect();
        }
        if (channels == null || !isAnswered()) {
            return null;
        }
        NetSendComm comm = factory.sender(channels, session);
        channels = null;
        return comm;
    }

    private boolean isAnswered() {
        try {
            if (channels[control].read(answer) < 0) {
                throw new EOFException("it closed the connection");
            }
            if (!answer.hasRemaining() && !SocketAnswer.isSound(answer, session, control, 0)) {
                throw new IOException("another process answered");
            }
        } catch (IOException e) {
            close();
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "cannot connect to " + session.peer() + ", which has not"
                    + " taken the connection: " + e.getMessage() + "; its log says why, if it was refused", e);
        }
        return !answer.hasRemaining();
    }

    @Override
    public void close() {
        connector.close();
        if (channels != null) {
            for (SocketChannel channel : channels) {
                SocketChannels.close(channel);
            }
            channels = null;
        }
    }
}
