/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A session between two services of one process. Futures complete on the thread of the calling runtime's service, as
 * they do over a socket, or on the one that ends the session.
 */
final class NearSession implements ProxyClient {
    private final NearEndpoint client;
    private final NearEndpoint target;
    private final Set<NearCall> outstanding = ConcurrentHashMap.newKeySet();
    private final AtomicReference<ProxyException> ended = new AtomicReference<>();

    NearSession(NearEndpoint client, NearEndpoint target) {
        this.client = client;
        this.target = target;
    }

    NearEndpoint client() {
        return client;
    }

    NearEndpoint target() {
        return target;
    }

    @Override
    public CompletableFuture<ByteBuffer> call(MessageType type, long connectionId, ByteBuffer request) {
        ProxyException reason = ended.get();
        if (reason != null) {
            return CompletableFuture.failedFuture(new ProxyException(reason.result(),
                    type + " was not sent: " + reason.getMessage(), reason));
        }
        byte[] body = new byte[request.remaining()];
        request.get(request.position(), body);
        NearCall call = new NearCall(this, type, connectionId, body);
        outstanding.add(call);
        call.answer().whenComplete((answer, failure) -> outstanding.remove(call));
        target.post(() -> target.serve(call));
        client.endIfClosed(this);
        // Put first, look afterwards; end() does it the other way round: one of the two fails the call.
        if (ended.get() != null) {
            failOutstanding();
        }
        return call.answer();
    }

    @Override
    public boolean isOpen() {
        return ended.get() == null;
    }

    @Override
    public void close() {
        end(new ProxyException(ProxyResult.INVALID_USAGE, "this side closed its session with " + target.service()));
    }

    /** The first reason stays. */
    void end(ProxyException reason) {
        if (ended.compareAndSet(null, reason)) {
            failOutstanding();
            client.forget(this);
            target.post(() -> target.leave(this));
        }
    }

    private void failOutstanding() {
        ProxyException reason = ended.get();
        for (NearCall call : outstanding) {
            call.answer().completeExceptionally(new ProxyException(reason.result(), reason.getMessage() + " while "
                    + call.type() + " was outstanding", reason));
        }
    }

    @Override
    public String toString() {
        return "session with " + target.service();
    }
}
