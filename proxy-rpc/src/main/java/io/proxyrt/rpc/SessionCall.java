/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.RpcCall;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A request of a session's peer. */
final class SessionCall implements RpcCall {
    private final Session session;
    private final MessageType type;
    private final long callId;
    private final long connectionId;
    private final ByteBuffer request;
    private boolean isAnswered;

    SessionCall(Session session, MessageType type, long callId, long connectionId, ByteBuffer request) {
        this.session = session;
        this.type = type;
        this.callId = callId;
        this.connectionId = connectionId;
        this.request = request;
    }

    @Override
    public MessageType type() {
        return type;
    }

    @Override
    public long connectionId() {
        return connectionId;
    }

    @Override
    public ByteBuffer request() {
        return request.asReadOnlyBuffer();
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
    public void reply(ProxyResult result, String detail, ByteBuffer response) {
        Objects.requireNonNull(response);
        if (isAnswered) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, this + " is answered twice");
        }
        if (result == ProxyResult.IN_PROGRESS) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, this + ": IN_PROGRESS is no answer");
        }
        isAnswered = true;
        session.answer(callId, request.capacity(), result, Objects.requireNonNullElse(detail, ""), response);
    }

    void replyUnlessAnswered(ProxyResult result, String detail, ByteBuffer response) {
        if (!isAnswered) {
            reply(result, detail, response);
        }
    }

    @Override
    public String toString() {
        return type + " of " + session;
    }
}
