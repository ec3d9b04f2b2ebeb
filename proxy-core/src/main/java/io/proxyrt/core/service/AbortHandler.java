/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ProxyConnection;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Drops ops: of one connection, of all that the caller has, or, for the runtime's own rank, all. */
final class AbortHandler implements CallHandler {
    private final ServiceContext context;
    private final Connections connections;

    AbortHandler(ServiceContext context, Connections connections) {
        this.context = context;
        this.connections = connections;
    }

    @Override
    public ProxyResult handle(ServiceCall call, ByteBuffer response) {
        if (call.asked == null) {
            call.asked = begin(call);
        }
        if (!call.asked.isDone()) {
            return ProxyResult.IN_PROGRESS;
        }
        if (call.asked.isCompletedExceptionally()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + context.rank() + " cannot abort: "
                    + call.asked.exceptionNow().getMessage(), call.asked.exceptionNow());
        }
        response.putInt(call.asked.resultNow());
        return ProxyResult.SUCCESS;
    }

    private CompletableFuture<Integer> begin(ServiceCall call) {
        ProxyException cause = new ProxyException(ProxyResult.REMOTE_ERROR, call.peer() + " aborted "
                + (call.connection() == null ? "its ops at rank " + context.rank() : call.connection().toString()));
        if (call.connection() == null && call.peer().rank() == context.rank()) {
            long outstanding = context.pool().outstanding();
            context.onAbort().accept(cause);
            return CompletableFuture.completedFuture((int) Math.min(outstanding, Integer.MAX_VALUE));
        }
        List<ProxyConnection> all =
                call.connection() == null ? connections.ownedBy(call.peer()) : List.of(call.connection());
        return context.progress().abort(all, cause);
    }
}
