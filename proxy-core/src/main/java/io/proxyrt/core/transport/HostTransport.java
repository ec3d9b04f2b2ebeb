/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerMemory;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.WatchKind;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A transport between ranks of one host: each end of a connection makes memory and opens that of the other. The client
 * half opens it and hands it to the proxy half by a ticket; a Setup request without a body is for a connection that
 * registered memory only goes by.
 *
 * @param <R> what a connection owns
 * @param <P> what a peer made
 */
public abstract class HostTransport<R extends HostResources<P>, P extends OpenedEnd> implements ProxyTransport {
    private static final Object MEMORY_ONLY = new Object();

    private final String name;
    private final Class<R> type;
    private final Tickets<P> tickets;
    private final ProxyProgress copying = new CopyProgress();
    private final CopyLanes lanes;
    private final Map<Integer, PeerMemory> registered = new ConcurrentHashMap<>();

    /**
     * Without connections.
     *
     * @param name    of the transport, for messages
     * @param type    of what a connection owns
     * @param lanes   that engines of its connections use; closed with the transport
     * @param timeout how long what the client opened may wait for Connect
     */
    protected HostTransport(String name, Class<R> type, CopyLanes lanes, Duration timeout) {
        this.name = name;
        this.type = type;
        this.lanes = lanes;
        this.tickets = new Tickets<>(name, timeout);
    }

    /**
     * Makes this end of a connection.
     *
     * @param connection that is set up
     * @param request    of Setup, not to be trusted; see {@link #requireEnd}
     * @return owned by the connection from now on
     */
    protected abstract R setUp(ProxyConnection connection, ByteBuffer request);

    /**
     * Both ends have each other's memory.
     *
     * @param connection that is connected
     * @param resources  of {@link #setUp}
     * @param response   to write the answer to
     */
    protected abstract void connected(ProxyConnection connection, R resources, ByteBuffer response);

    /**
     * Whether the proxy of an end copies.
     *
     * @param direction seen from that end
     * @return if so {@link #progress} has something to do
     */
    protected abstract boolean copies(Direction direction);

    /**
     * What the client opened and the proxy has not taken over yet.
     *
     * @return closed with the transport
     */
    protected final Tickets<P> tickets() {
        return tickets;
    }

    /**
     * What a peer's proxy registered with this rank's.
     *
     * @param rank of the peer
     * @return for kernels, see {@link DeviceConnection#peerMemory}
     */
    protected final PeerMemory registeredBy(int rank) {
        return registered.computeIfAbsent(rank, any -> new PeerMemory());
    }

    /**
     * Refuses a Setup request that is for another connection.
     *
     * @param connection that it came by
     * @param end        that it is for
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} unless they belong together
     */
    protected final void requireEnd(ProxyConnection connection, ConnectorEnd end) {
        if (end.remoteRank() != connection.peer() || end.direction() != connection.direction()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " Setup request of " + connection
                    + " is for " + end);
        }
    }

    @Override
    public final ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        if (connection.resources() != null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " Setup of " + connection
                    + ", which is set up");
        }
        if (!request.hasRemaining()) {
            connection.resources(MEMORY_ONLY);
            return ProxyResult.SUCCESS;
        }
        R resources = setUp(connection, request);
        connection.resources(resources);
        resources.connectInfo(response);
        return ProxyResult.SUCCESS;
    }

    /** Done when the peer needs nothing more of this rank, and so neither leaves while the other still asks. */
    @Override
    public final ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        if (connection.resources() == MEMORY_ONLY) {
            return ProxyResult.SUCCESS;
        }
        if (connection.resources() == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, name + " Connect of " + connection
                    + ", which is not set up");
        }
        R resources = type.cast(connection.resources());
        resources.attach(connection, tickets, tickets.decode(request));
        if (!resources.isTaken()) {
            return ProxyResult.IN_PROGRESS;
        }
        connected(connection, resources, response);
        return ProxyResult.SUCCESS;
    }

    /** {@inheritDoc} Kernels of this rank find it by {@link DeviceConnection#peerMemory}. */
    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        registeredBy(connection.owner().rank()).add(registration.handle(), registration.range());
        return ProxyResult.SUCCESS;
    }

    @Override
    public final void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
        registeredBy(connection.owner().rank()).remove(registration.handle());
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        Object resources = connection.resources();
        connection.resources(null);
        tickets.expire();
        if (type.isInstance(resources)) {
            type.cast(resources).close();
        }
    }

    @Override
    public final WatchKind watch() {
        return WatchKind.LOSS;
    }

    @Override
    public final void poll(int ops) {
        lanes.poll();
    }

    /** {@inheritDoc} Only a proxy that copies needs any. */
    @Override
    public final ProxyProgress progress(Direction direction) {
        return copies(direction) ? copying : null;
    }

    /** Closes what the transport made for all connections. */
    protected abstract void closeShared();

    @Override
    public final void close() {
        try (Owned owned = new Owned()) {
            owned.add(this::closeShared);
            owned.add(tickets);
            owned.add(lanes);
        }
    }
}
