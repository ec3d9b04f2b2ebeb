/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/** A request of a runtime of this process. */
final class NearCall implements RpcCall {
    private final NearSession session;
    private final MessageType type;
    private final long connectionId;
    private final ByteBuffer request;
    private final CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
    private boolean isAnswered;

    /** Takes the body over. */
    NearCall(NearSession session, MessageType type, long connectionId, byte... body) {
        this.session = session;
        this.type = type;
        this.connectionId = connectionId;
        this.request = ByteBuffer.wrap(body).asReadOnlyBuffer();
    }

    /** Completed by the caller's service thread. */
    CompletableFuture<ByteBuffer> answer() {
        return answer;
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
        return request.duplicate();
    }

    @Override
    public PeerId peer() {
        return session.client().self();
    }

    @Override
    public boolean isOpen() {
        return session.isOpen();
    }

    @Override
    public void reply(ProxyResult result, String detail, ByteBuffer response) {
        Objects.requireNonNull(response);
        if (isAnswered || result == ProxyResult.IN_PROGRESS) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, this + (isAnswered ? " is answered twice"
                    : ": IN_PROGRESS is no answer"));
        }
        isAnswered = true;
        if (result == ProxyResult.SUCCESS) {
            byte[] body = new byte[response.remaining()];
            response.get(response.position(), body);
            session.client().post(() -> answer.complete(ByteBuffer.wrap(body)));
        } else {
            ProxyException failure = new ProxyException(result.isError() ? result : ProxyResult.REMOTE_ERROR,
                    type + " failed at " + session.target().service() + ": "
                            + (detail == null || detail.isEmpty() ? result : detail));
            session.client().post(() -> answer.completeExceptionally(failure));
        }
    }

    void replyUnlessAnswered(ProxyResult result, String detail, ByteBuffer response) {
        if (!isAnswered) {
            reply(result, detail, response);
        }
    }

    @Override
    public String toString() {
        return type + " of " + peer() + " of this process";
    }
}
