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
import java.util.concurrent.CompletableFuture;

/** A request of a runtime of this process. */
final class NearCall extends PendingCall {
    private final NearSession session;
    private final CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();

    /** Takes the body over. */
    NearCall(NearSession session, MessageType type, long connectionId, byte... body) {
        super(type, connectionId, ByteBuffer.wrap(body));
        this.session = session;
    }

    /** Completed by the caller's service thread. */
    CompletableFuture<ByteBuffer> answer() {
        return answer;
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
    protected void answer(ProxyResult result, String detail, ByteBuffer response) {
        if (result == ProxyResult.SUCCESS) {
            byte[] body = new byte[response.remaining()];
            response.get(response.position(), body);
            session.client().post(() -> answer.complete(ByteBuffer.wrap(body)));
        } else {
            ProxyException failure = new ProxyException(result.isError() ? result : ProxyResult.REMOTE_ERROR,
                    type() + " failed at " + session.target().service() + ": " + (detail.isEmpty() ? result : detail));
            session.client().post(() -> answer.completeExceptionally(failure));
        }
    }

    @Override
    public String toString() {
        return type() + " of " + peer() + " of this process";
    }
}
