/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.progress.ConnectionLookup;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.spi.MessageType;
import io.proxyrt.core.spi.PeerId;
import io.proxyrt.core.spi.ProxyTransport;
import io.proxyrt.core.spi.RpcCall;
import io.proxyrt.core.spi.RpcHandler;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the service thread does with a call, RCCL's {@code proxyProgressAsync}: a handler for each type, a state machine
 * for each connection, and a list of calls whose transport is not ready yet. Confined to the service thread.
 */
public final class ConnectionService implements RpcHandler {
    private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionService.class);
    private static final int RESPONSE_BYTES = 4096;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final int rank;
    private final Map<Integer, ProxyTransport> transports;
    private final Counters counters;
    private final ConnectionTable table = new ConnectionTable();
    private final Map<MessageType, Handler> handlers = new EnumMap<>(MessageType.class);
    private final Map<ProxyConnection, PeerId> owners = new HashMap<>();
    private final List<Pending> pending = new ArrayList<>();
    private final ByteBuffer response = ByteBuffer.allocate(RESPONSE_BYTES);
    private ProgressAgent progress;
    private int closing;
    private volatile boolean isStopping;

    /**
     * A service without connections.
     *
     * @param rank       for messages
     * @param transports by id
     * @param counters   of the runtime
     */
    public ConnectionService(int rank, Map<Integer, ProxyTransport> transports, Counters counters) {
        this.rank = rank;
        this.transports = Map.copyOf(transports);
        this.counters = counters;
        handlers.put(MessageType.INIT, this::init);
        handlers.put(MessageType.SETUP, this::setup);
        handlers.put(MessageType.CONNECT, this::connect);
        handlers.put(MessageType.CLOSE, this::close);
        handlers.put(MessageType.STOP, this::stop);
    }

    /** Carries out one call; called again with the same call until it stops returning IN_PROGRESS. */
    @FunctionalInterface
    private interface Handler {
        ProxyResult handle(RpcCall call, ProxyConnection connection, ByteBuffer response);
    }

    private record Pending(RpcCall call, ProxyConnection connection) {
    }

    /**
     * Whom to ask to let go of a connection.
     *
     * @param progress the runtime's
     */
    public void progress(ProgressAgent progress) {
        this.progress = progress;
    }

    /**
     * Finds connections; for the progress thread.
     *
     * @return safe from any thread
     */
    public ConnectionLookup connections() {
        return table;
    }

    /**
     * Whether Stop was asked for.
     *
     * @return true if no new connection is made
     */
    public boolean isStopping() {
        return isStopping;
    }

    @Override
    public void onCall(RpcCall call) {
        counters.add(Counter.RPC_CALLS, 1);
        ProxyConnection connection = table.find(call.connectionId());
        ProxyException refusal = refusal(call, connection);
        if (refusal != null) {
            answer(call, refusal.result(), refusal.getMessage(), NOTHING);
        } else if (!drive(call, connection)) {
            pending.add(new Pending(call, connection));
            counters.set(Counter.RPC_PENDING, pending.size());
        }
    }

    @Override
    public void onConnect(PeerId peer) {
        LOGGER.debug("rank {}: {} came", rank, peer);
    }

    @Override
    public void onDisconnect(PeerId peer) {
        pending.removeIf(waiting -> waiting.call().peer().equals(peer));
        counters.set(Counter.RPC_PENDING, pending.size());
        for (ProxyConnection connection : ownedBy(peer)) {
            beginClose(connection, peer + " went away");
        }
    }

    /**
     * Drives what is pending.
     *
     * @return calls answered and connections freed
     */
    public int doWork() {
        int count = closing > 0 ? freeDetached() : 0;
        if (pending.isEmpty()) {
            return count;
        }
        for (Pending waiting : List.copyOf(pending)) {
            if (!waiting.call().isOpen() || drive(waiting.call(), waiting.connection())) {
                pending.remove(waiting);
                count++;
            }
        }
        counters.set(Counter.RPC_PENDING, pending.size());
        return count;
    }

    /**
     * Whether calls or closing connections wait for somebody.
     *
     * @return true if {@link #doWork()} should be called soon
     */
    public boolean hasPending() {
        return !pending.isEmpty() || closing > 0;
    }

    /** Frees all connections; when the progress and the service thread have ended. */
    public void freeAll() {
        List.copyOf(owners.keySet()).forEach(this::free);
    }

    private ProxyException refusal(RpcCall call, ProxyConnection connection) {
        MessageType type = call.type();
        if (!handlers.containsKey(type)) {
            return new ProxyException(ProxyResult.INVALID_USAGE, type + " is not served over RPC by rank " + rank);
        }
        if (type == MessageType.INIT || type == MessageType.STOP) {
            return null;
        }
        if (type == MessageType.CLOSE && call.connectionId() == 0) {
            return null;
        }
        if (connection == null || !owners.get(connection).equals(call.peer())) {
            return new ProxyException(ProxyResult.INVALID_USAGE, type + " for connection "
                    + Long.toHexString(call.connectionId()) + ", which rank " + rank + " has not made for this peer");
        }
        if (!connection.state().allows(type)) {
            return new ProxyException(ProxyResult.INVALID_USAGE,
                    type + " is not allowed while " + connection + " is " + connection.state());
        }
        if (pending.stream().anyMatch(waiting -> waiting.connection() == connection) && type != MessageType.CLOSE) {
            return new ProxyException(ProxyResult.INVALID_USAGE,
                    type + " while another call for " + connection + " is pending");
        }
        return null;
    }

    /** Returns whether the call was answered. */
    private boolean drive(RpcCall call, ProxyConnection connection) {
        try {
            response.clear();
            ProxyResult result = handlers.get(call.type()).handle(call, connection, response);
            if (result == ProxyResult.IN_PROGRESS) {
                return false;
            }
            answer(call, result, "", response.flip());
        } catch (ProxyException e) {
            answer(call, e.result(), e.getMessage(), NOTHING);
        } catch (BufferUnderflowException e) {
            answer(call, ProxyResult.INVALID_ARGUMENT, call.type() + ": the request is too short", NOTHING);
        } catch (BufferOverflowException e) {
            answer(call, ProxyResult.INTERNAL_ERROR, call.type() + ": the response is too long", NOTHING);
        }
        return true;
    }

    private void answer(RpcCall call, ProxyResult result, String detail, ByteBuffer body) {
        if (result.isError()) {
            counters.add(Counter.RPC_ERRORS, 1);
            LOGGER.warn("rank {}: {} of {} failed: {}: {}", rank, call.type(), call.peer(), result, detail);
        }
        call.reply(result, detail, body);
    }

    private ProxyResult init(RpcCall call, ProxyConnection none, ByteBuffer response) {
        ByteBuffer request = call.request();
        int transportId = request.getInt();
        Direction direction = Direction.of(request.getInt());
        int peer = request.getInt();
        ProxyTransport transport = transports.get(transportId);
        if (transport == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " has no transport with id "
                    + transportId + ", only " + Set.copyOf(transports.keySet()));
        }
        if (isStopping) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " is stopping");
        }
        ProxyConnection connection = table.add(id -> new ProxyConnection(id, transport, direction, peer));
        owners.put(connection, call.peer());
        counters.set(Counter.CONNECTIONS, table.size());
        response.putLong(connection.id());
        return ProxyResult.SUCCESS;
    }

    private ProxyResult setup(RpcCall call, ProxyConnection connection, ByteBuffer response) {
        ProxyResult result = connection.transport().proxySetup(connection, call.request(), response);
        if (result == ProxyResult.SUCCESS) {
            connection.state(ConnectionState.SETUP_DONE);
        }
        return result;
    }

    private ProxyResult connect(RpcCall call, ProxyConnection connection, ByteBuffer response) {
        ProxyResult result = connection.transport().proxyConnect(connection, call.request(), response);
        if (result == ProxyResult.SUCCESS) {
            connection.state(ConnectionState.CONNECTED);
        }
        return result;
    }

    private ProxyResult close(RpcCall call, ProxyConnection connection, ByteBuffer response) {
        List<ProxyConnection> closing = connection == null ? ownedBy(call.peer()) : List.of(connection);
        boolean isGone = true;
        for (ProxyConnection each : closing) {
            beginClose(each, "its owner closed it");
            isGone &= !owners.containsKey(each);
        }
        return isGone ? ProxyResult.SUCCESS : ProxyResult.IN_PROGRESS;
    }

    private ProxyResult stop(RpcCall call, ProxyConnection none, ByteBuffer response) {
        isStopping = true;
        return ProxyResult.SUCCESS;
    }

    private List<ProxyConnection> ownedBy(PeerId peer) {
        return owners.entrySet().stream().filter(entry -> entry.getValue().equals(peer)).map(Map.Entry::getKey)
                .toList();
    }

    private void beginClose(ProxyConnection connection, String why) {
        if (!owners.containsKey(connection) || connection.state() == ConnectionState.CLOSING) {
            return;
        }
        connection.state(ConnectionState.CLOSING);
        closing++;
        for (Pending waiting : List.copyOf(pending)) {
            if (waiting.connection() == connection && waiting.call().type() != MessageType.CLOSE) {
                pending.remove(waiting);
                answer(waiting.call(), ProxyResult.INVALID_USAGE, connection + ": " + why, NOTHING);
            }
        }
        progress.detach(connection, new ProxyException(ProxyResult.REMOTE_ERROR, connection + ": " + why));
    }

    private int freeDetached() {
        int count = 0;
        for (ProxyConnection connection : owners.keySet().toArray(ProxyConnection[]::new)) {
            if (connection.isDetached()) {
                closing--;
                free(connection);
                count++;
            }
        }
        return count;
    }

    private void free(ProxyConnection connection) {
        try {
            connection.transport().proxyFree(connection);
        } finally {
            connection.state(ConnectionState.UNINITIALIZED);
            owners.remove(connection);
            table.remove(connection);
            counters.set(Counter.CONNECTIONS, table.size());
        }
    }
}
