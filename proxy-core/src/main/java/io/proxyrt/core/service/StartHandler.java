/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.service.message.StartRequest;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Posts ops for those who cannot post themselves, through a lane for each of them: none fills another's. */
final class StartHandler implements CallHandler {
    private final ServiceContext context;
    private final Connections connections;
    /** Taken when a peer's first such call comes: most services never see one. */
    private final Map<PeerId, OpsPoster> posters = new HashMap<>();

    StartHandler(ServiceContext context, Connections connections) {
        this.context = context;
        this.connections = connections;
    }

    @Override
    public ProxyResult handle(ServiceCall call, ByteBuffer response) {
        StartRequest request = StartRequest.decode(call.request());
        List<ProxyOpEncoder> ops = request.ops();
        ops.forEach(op -> check(call, op));
        OpsPoster poster = posters.computeIfAbsent(call.peer(), peer -> context.pool().poster());
        if (ops.size() > poster.capacity()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "START with " + ops.size()
                    + " ops; a lane of rank " + context.rank() + " holds " + poster.capacity());
        }
        if (ops.size() > poster.room()) {
            return ProxyResult.IN_PROGRESS;
        }
        for (ProxyOpEncoder op : ops) {
            poster.append(request.opCount(), op);
        }
        poster.post();
        return ProxyResult.SUCCESS;
    }

    /** Gives the lane of a peer back that is gone. */
    void forget(PeerId peer) {
        OpsPoster poster = posters.remove(peer);
        if (poster != null) {
            poster.close();
        }
    }

    /** Gives all lanes back. */
    void close() {
        posters.values().forEach(OpsPoster::close);
        posters.clear();
    }

    private void check(ServiceCall call, ProxyOpEncoder op) {
        long connectionId = op.connection();
        if (op.fault() != null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "START with an op for connection "
                    + Long.toHexString(connectionId) + ": " + op.fault());
        }
        ProxyConnection connection = connections.find(connectionId);
        if (connection == null || !connections.isOwner(call.peer(), connection)) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "START with an op for connection "
                    + Long.toHexString(connectionId) + ", which is not the caller's");
        }
        if (connection.state() != ConnectionState.CONNECTED || connection.failure() != null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "START with an op for " + connection + ", which "
                    + (connection.failure() == null ? "is " + connection.state() : "failed before: "
                    + connection.failure().getMessage()));
        }
    }
}
