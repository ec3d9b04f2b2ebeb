/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxyTransport;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * The connections of a proxy and whose they are. Closing one takes a while: the progress thread has to let go of it
 * first. Confined to the service thread.
 */
final class Connections {
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    private final ServiceContext context;
    private final ConnectionTable table;
    private final Map<ProxyConnection, PeerId> owners = new HashMap<>();
    private final Map<PeerId, Set<ProxyConnection>> byOwner = new HashMap<>();
    private final Set<ProxyConnection> closing = new LinkedHashSet<>();
    private BiConsumer<ProxyConnection, String> onClosing = (connection, why) -> { };
    private Consumer<ProxyConnection> onFreed = connection -> { };

    Connections(ServiceContext context, ConnectionTable table) {
        this.context = context;
        this.table = table;
    }

    /** Sets what hears of each connection that begins to close, and why. */
    void onClosing(BiConsumer<ProxyConnection, String> listener) {
        this.onClosing = listener;
    }

    void onFreed(Consumer<ProxyConnection> listener) {
        this.onFreed = listener;
    }

    ProxyConnection add(ProxyTransport transport, Direction direction, int peer, PeerId owner) {
        ProxyConnection connection = table.add(id -> new ProxyConnection(id, transport, direction, peer, owner));
        owners.put(connection, owner);
        byOwner.computeIfAbsent(owner, any -> new LinkedHashSet<>()).add(connection);
        count();
        return connection;
    }

    ProxyConnection find(long id) {
        return table.find(id);
    }

    boolean isOwner(PeerId peer, ProxyConnection connection) {
        return peer.equals(owners.get(connection));
    }

    /** A copy. */
    List<ProxyConnection> ownedBy(PeerId peer) {
        return List.copyOf(byOwner.getOrDefault(peer, Set.of()));
    }

    int countOf(PeerId peer) {
        return byOwner.getOrDefault(peer, Set.of()).size();
    }

    /** Whether it is gone, or never was. */
    boolean isFree(ProxyConnection connection) {
        return !owners.containsKey(connection);
    }

    /** Those that are closing already, or gone, are passed over. */
    void beginClose(List<ProxyConnection> all, String why) {
        List<ProxyConnection> open = all.stream().filter(connection -> !isFree(connection)
                && connection.state() != ConnectionState.CLOSING).toList();
        if (open.isEmpty()) {
            return;
        }
        for (ProxyConnection connection : open) {
            connection.state(ConnectionState.CLOSING);
            closing.add(connection);
            onClosing.accept(connection, why);
        }
        context.progress().detach(open, new ProxyException(ProxyResult.REMOTE_ERROR, (open.size() == 1
                ? open.getFirst().toString() : open.size() + " connections, " + open.getFirst() + " among them")
                + ": " + why));
    }

    boolean isAnyClosing() {
        return !closing.isEmpty();
    }

    /** Frees those that the progress thread has let go of. Returns how many. */
    int freeDetached() {
        List<ProxyConnection> detached = closing.stream().filter(ProxyConnection::isDetached).toList();
        detached.forEach(this::free);
        return detached.size();
    }

    /** When the progress thread has ended. */
    void freeAll() {
        List.copyOf(owners.keySet()).forEach(this::free);
    }

    /** What a transport throws shall not keep the others, or the service, from going on. */
    private void free(ProxyConnection connection) {
        for (ProxyRegistration registration : connection.registrations()) {
            contain(connection, () -> connection.transport().proxyDeregister(connection, registration));
        }
        contain(connection, () -> connection.transport().proxyFree(connection));
        // Not before the network has stopped: requests that were under way may refer to it.
        for (ProxyRegistration registration : connection.registrations()) {
            contain(connection, () -> {
                connection.remove(registration);
                registration.release();
            });
        }
        leave(EventType.CLOSED, connection);
        connection.state(ConnectionState.UNINITIALIZED);
        onFreed.accept(connection);
        closing.remove(connection);
        PeerId owner = owners.remove(connection);
        Set<ProxyConnection> others = byOwner.get(owner);
        others.remove(connection);
        if (others.isEmpty()) {
            byOwner.remove(owner);
        }
        table.remove(connection);
        assert isFree(connection) && !closing.contains(connection) : connection;
        count();
    }

    /** For the black box. */
    void leave(EventType type, ProxyConnection connection) {
        context.runtime().counters().blackBox().service().add(System.nanoTime(), type,
                connection.direction().ordinal(), 0, connection.id(), 0, connection.peer(), 0);
    }

    private void contain(ProxyConnection connection, Runnable freeing) {
        try {
            freeing.run();
        } catch (RuntimeException e) {
            LOGGER.error("rank {}: {} was not freed well", context.rank(), connection, e);
        }
    }

    void deregister(ProxyConnection connection, ProxyRegistration registration) {
        connection.remove(registration);
        try {
            connection.transport().proxyDeregister(connection, registration);
        } finally {
            registration.release();
        }
    }

    private void count() {
        assert table.size() == owners.size() : table.size();
        context.runtime().counters().set(Counter.CONNECTIONS, table.size());
    }
}
