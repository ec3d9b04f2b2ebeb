/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.InitResponse;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** Makes a connection, and says where ops for it are posted. */
final class InitHandler implements CallHandler {
    private final ServiceContext context;
    private final Connections connections;
    private final BooleanSupplier isStopping;
    private final int limit;

    InitHandler(ServiceContext context, Connections connections, BooleanSupplier isStopping) {
        this.context = context;
        this.connections = connections;
        this.isStopping = isStopping;
        this.limit = context.runtime().config().get(CoreOptions.PEER_CONNECTIONS);
    }

    @Override
    public ProxyResult handle(ServiceCall call, ByteBuffer response) {
        InitRequest request = InitRequest.decode(call.request());
        ProxyTransport transport = context.transports().get(request.transportId());
        if (transport == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + context.rank()
                    + " has no transport with id " + request.transportId() + ", only "
                    + new TreeSet<>(context.transports().keySet()));
        }
        if (isStopping.getAsBoolean()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + context.rank() + " is stopping");
        }
        if (connections.countOf(call.peer()) >= limit) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, call.peer() + " has " + limit
                    + " connections already at rank " + context.rank() + "; see " + CoreOptions.PEER_CONNECTIONS);
        }
        ProxyConnection connection =
                connections.add(transport, request.direction(), request.peer(), call.peer());
        new InitResponse(connection.id(), transport.progress(request.direction()) == null
                ? Optional.empty() : context.pool().address()).encode(response);
        return ProxyResult.SUCCESS;
    }
}
