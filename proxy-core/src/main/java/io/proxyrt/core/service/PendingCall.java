/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.Objects;

/** A request that is to get one answer, whatever carries the two. Service thread. */
public abstract class PendingCall implements RpcCall {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final MessageType type;
    private final long connectionId;
    private final ByteBuffer request;
    private boolean isAnswered;

    /**
     * One without an answer.
     *
     * @param type         of the message
     * @param connectionId in its header
     * @param request      its body; to stay as it is
     */
    protected PendingCall(MessageType type, long connectionId, ByteBuffer request) {
        this.type = type;
        this.connectionId = connectionId;
        this.request = request;
    }

    /**
     * Takes the answer to the caller.
     *
     * @param result   no {@link ProxyResult#IN_PROGRESS}
     * @param detail   not null
     * @param response not null
     */
    protected abstract void answer(ProxyResult result, String detail, ByteBuffer response);

    @Override
    public final MessageType type() {
        return type;
    }

    @Override
    public final long connectionId() {
        return connectionId;
    }

    @Override
    public final ByteBuffer request() {
        return request.asReadOnlyBuffer();
    }

    @Override
    public final void reply(ProxyResult result, String detail, ByteBuffer response) {
        Objects.requireNonNull(response);
        if (isAnswered) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, this + " is answered twice");
        }
        if (result == ProxyResult.IN_PROGRESS) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, this + ": IN_PROGRESS is no answer");
        }
        isAnswered = true;
        answer(result, Objects.requireNonNullElse(detail, ""), response);
    }

    /**
     * Hands it over. Whatever the handler throws, the caller gets an answer; all but a {@link ProxyException} is thrown
     * on.
     *
     * @param handler that answers, now or later
     */
    public final void serve(RpcHandler handler) {
        try {
            handler.onCall(this);
        } catch (ProxyException e) {
            replyUnlessAnswered(e.result(), e.getMessage());
        } catch (RuntimeException | Error e) {
            replyUnlessAnswered(ProxyResult.INTERNAL_ERROR, this + " failed: " + e);
            throw e;
        }
    }

    private void replyUnlessAnswered(ProxyResult result, String detail) {
        if (!isAnswered) {
            reply(result, detail, NOTHING);
        }
    }
}
