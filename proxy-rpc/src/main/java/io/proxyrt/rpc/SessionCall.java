/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.PendingCall;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;

/** A request of a session's peer. */
final class SessionCall extends PendingCall {
    private final Session session;
    private final long callId;
    private final int requestBytes;

    SessionCall(Session session, MessageType type, long callId, long connectionId, ByteBuffer request) {
        super(type, connectionId, request);
        this.session = session;
        this.callId = callId;
        this.requestBytes = request.capacity();
    }

    @Override
    public PeerId peer() {
        return session.peer();
    }

    @Override
    public boolean isOpen() {
        return !session.isDeaf();
    }

    @Override
    protected void answer(ProxyResult result, String detail, ByteBuffer response) {
        session.answer(callId, requestBytes, result, detail, response);
    }

    @Override
    public String toString() {
        return type() + " of " + session;
    }
}
