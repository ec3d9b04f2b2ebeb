/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.jfr.Jfr;
import io.proxyrt.core.jfr.RpcCallEvent;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.service.CallHandler.Scope;
import io.proxyrt.core.service.message.Farewell;
import io.proxyrt.core.service.message.MessageType;
import io.proxyrt.core.service.message.PingRequest;
import io.proxyrt.core.service.message.PingResponse;
import io.proxyrt.core.service.message.SharedInitRequest;
import java.nio.BufferOverflowException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * What the service thread does with a call, RCCL's {@code proxyProgressAsync}: a handler for each type, a state machine
 * for each connection, and a queue of calls whose transport is not ready yet. Confined to the service thread.
 */
public final class ConnectionService implements RpcHandler {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final int RESPONSE_BYTES = 8192;
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final long SHORTEST_PARK_NS = 1;
    /** How soon a connection that closes is looked at: until the progress thread had its say. */
    private static final long CLOSING_PARK_NS = 200_000;

    private final ServiceContext context;
    private final Counters counters;
    private final long graceNs;
    private final boolean isDriven;
    private final Connections connections;
    private final StartHandler start;
    private final RegistrationHandler registrations;
    private final Refusals failures;
    private final Map<MessageType, Entry> handlers = new EnumMap<>(MessageType.class);
    private final PriorityQueue<ServiceCall> pending = new PriorityQueue<>();
    /** The pending call of each connection that has one; a Close may come on top. */
    private final Map<ProxyConnection, ServiceCall> busy = new HashMap<>();
    /** When those that went away are given up: the first first, for all have the same grace. */
    private final Map<PeerId, Long> departed = new LinkedHashMap<>();
    /** In how many ways they are connected: by sockets, and within the process. */
    private final Map<PeerId, Integer> present = new HashMap<>();
    private final Watchers watchers = new Watchers();
    private final ByteBuffer response = ByteBuffer.allocate(RESPONSE_BYTES);
    private volatile boolean isStopping;

    /**
     * A service without connections.
     *
     * @param context what it works with
     * @param table   empty; where the progress agent finds the connections
     */
    public ConnectionService(ServiceContext context, ConnectionTable table) {
        this.context = context;
        this.counters = context.runtime().counters();
        this.graceNs = context.runtime().config().get(CoreOptions.PEER_GRACE).toNanos();
        this.isDriven = context.runtime().config().get(CoreOptions.THREADING) == ThreadingMode.INVOKER;
        this.connections = new Connections(context, table);
        this.failures = new Refusals(LOGGER, "rank " + context.rank() + ": a call failed:");
        this.start = new StartHandler(context, connections);
        this.registrations = new RegistrationHandler(context, connections);
        connections.onClosing(this::answerBusy);
        AbortHandler abort = new AbortHandler(context, connections);
        InitHandler init = new InitHandler(context, connections, this::isStopping);
        handlers.put(MessageType.INIT, new Entry(Scope.SERVICE, false, init));
        handlers.put(MessageType.SHARED_INIT, new Entry(Scope.CONNECTION, true, this::sharedInit));
        handlers.put(MessageType.SETUP, new Entry(Scope.CONNECTION, true, this::setup));
        handlers.put(MessageType.CONNECT, new Entry(Scope.CONNECTION, true, this::connect));
        handlers.put(MessageType.START, new Entry(Scope.CONNECTION, true, start));
        handlers.put(MessageType.CLOSE, new Entry(Scope.CONNECTION_OR_ALL, false, this::close));
        handlers.put(MessageType.ABORT, new Entry(Scope.CONNECTION_OR_ALL, false, abort));
        handlers.put(MessageType.STOP, new Entry(Scope.SERVICE, false, this::stop));
        handlers.put(MessageType.GET_FD, new Entry(Scope.SERVICE, false, ConnectionService::refuseFd));
        handlers.put(MessageType.QUERY_FD, new Entry(Scope.SERVICE, false, ConnectionService::refuseFd));
        handlers.put(MessageType.REGISTER, new Entry(Scope.CONNECTION, true, registrations::register));
        handlers.put(MessageType.DEREGISTER, new Entry(Scope.CONNECTION, true, registrations::deregister));
        handlers.put(MessageType.PING, new Entry(Scope.SERVICE, false, this::ping));
    }

    /** Of the exclusive ones a connection has one at a time. */
    private record Entry(Scope scope, boolean isExclusive, CallHandler handler) {
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
        if (call.type() == MessageType.WATCH) {
            watch(call);
            return;
        }
        long now = context.clock().getAsLong();
        ServiceCall serviceCall = new ServiceCall(call, connections.find(call.connectionId()), now);
        if (Jfr.recordsRpcCalls()) {
            serviceCall.recorded = begun(call);
        }
        ProxyException refusal = refusal(call, serviceCall.connection());
        if (refusal != null) {
            answer(serviceCall, refusal.result(), refusal.getMessage(), NOTHING);
        } else if (!drive(serviceCall)) {
            put(serviceCall, now);
        }
    }

    private RpcCallEvent begun(RpcCall call) {
        RpcCallEvent event = new RpcCallEvent();
        event.begin();
        event.rank = context.rank();
        event.job = counters.job();
        event.requestBytes = call.request().remaining();
        return event;
    }

    /** Is not driven, and so costs nothing while it is pending. */
    private void watch(RpcCall call) {
        try {
            watchers.add(call);
        } catch (ProxyException e) {
            call.reply(e.result(), e.getMessage(), NOTHING);
        }
    }

    /** How many runtimes are connected, each once, in whatever way. */
    int peers() {
        return present.size();
    }

    @Override
    public void onConnect(PeerId peer) {
        present.merge(peer, 1, Integer::sum);
        if (departed.remove(peer) != null) {
            LOGGER.info("rank {}: {} is back, with {} connections", context.rank(), peer, connections.countOf(peer));
        }
    }

    @Override
    public void onDisconnect(PeerId peer) {
        if (present.computeIfPresent(peer, (_, ways) -> ways == 1 ? null : ways - 1) != null) {
            return;
        }
        start.forget(peer);
        departed.put(peer, context.clock().getAsLong() + graceNs);
        if (graceNs == 0) {
            giveUpDeparted();
        }
    }

    /**
     * Drives what is pending and due, and releases what is closing.
     *
     * @return calls answered and connections freed
     */
    public int doWork() {
        int count = watchers.doWork() + (connections.isAnyClosing() ? connections.freeDetached() : 0);
        if (!departed.isEmpty()) {
            giveUpDeparted();
        }
        if (pending.isEmpty()) {
            return count;
        }
        long now = context.clock().getAsLong();
        while (!pending.isEmpty() && (pending.peek().dueNs() - now <= 0 || pending.peek().isOver())) {
            ServiceCall call = pending.poll();
            busy.remove(call.connection(), call);
            if (call.isOver()) {
                registrations.abandon(call);
                count++;
            } else if (isOvertaken(call) || drive(call)) {
                count++;
            } else {
                put(call, now);
            }
        }
        counters.set(Counter.RPC_PENDING, pending.size());
        return count;
    }

    /**
     * How long nothing has to be done, unless a call comes.
     *
     * @param maxNs at most this
     * @return greater than 0, in nanoseconds
     */
    public long parkNs(long maxNs) {
        long longest = connections.isAnyClosing() ? Math.min(maxNs, CLOSING_PARK_NS) : maxNs;
        if (pending.isEmpty() && departed.isEmpty()) {
            return longest;
        }
        long now = context.clock().getAsLong();
        if (!pending.isEmpty()) {
            longest = Math.min(longest, pending.peek().dueNs() - now);
        }
        if (!departed.isEmpty()) {
            longest = Math.min(longest, departed.values().iterator().next() - now);
        }
        return Math.max(longest, SHORTEST_PARK_NS);
    }

    /**
     * Ends what is pending; the runtime closes.
     *
     * @return a line for each call that is given up
     */
    public List<String> abandon() {
        watchers.doWork();
        List<String> abandoned = new ArrayList<>();
        long now = context.clock().getAsLong();
        pending.removeIf(ServiceCall::isOver);
        for (ServiceCall call : pending) {
            abandoned.add(call.describe(now));
            registrations.abandon(call);
            answer(call, ProxyResult.REMOTE_ERROR, "rank " + context.rank() + " closed its runtime", NOTHING);
        }
        pending.clear();
        busy.clear();
        counters.set(Counter.RPC_PENDING, 0);
        start.close();
        return abandoned;
    }

    /**
     * Tells the peers that watch this runtime that it leaves. The first word stays. Any thread; the service has to be
     * woken.
     *
     * @param word why
     */
    public void leave(Farewell word) {
        watchers.leave(word);
    }

    /** Sets what hears of each connection that is freed. */
    void onFreed(Consumer<ProxyConnection> listener) {
        connections.onFreed(listener);
    }

    ServiceContext context() {
        return context;
    }

    /** Null if there is none. */
    ProxyConnection find(long id) {
        return connections.find(id);
    }

    /** The peer of connections is gone. What is pending for one of them is done now, or never. */
    void lose(Collection<ProxyConnection> lost, PeerLoss loss) {
        lost.forEach(connection -> connection.lose(loss.cause()));
        for (ProxyConnection connection : lost) {
            ServiceCall call = busy.get(connection);
            if (call != null && !call.isOver() && !isOvertaken(call) && !drive(call)) {
                registrations.abandon(call);
                answer(call, loss.cause().result(), loss.cause().getMessage(), NOTHING);
            }
        }
        if (loss.hasDied()) {
            context.progress().abort(List.copyOf(lost), loss.cause());
        } else {
            context.progress().onLost();
        }
    }

    /** Frees all connections; when the progress and the service thread have ended. */
    public void freeAll() {
        connections.freeAll();
    }

    private void put(ServiceCall call, long nowNs) {
        call.putOff(nowNs);
        pending.add(call);
        if (handlers.get(call.type()).isExclusive()) {
            ServiceCall before = busy.put(call.connection(), call);
            assert before == null || before == call : before;
        }
        counters.set(Counter.RPC_PENDING, pending.size());
    }

    private ProxyException refusal(RpcCall call, ProxyConnection connection) {
        MessageType type = call.type();
        Scope scope = handlers.get(type).scope();
        if (scope == Scope.SERVICE || scope == Scope.CONNECTION_OR_ALL && call.connectionId() == 0) {
            return null;
        }
        if (connection == null || !connections.isOwner(call.peer(), connection)) {
            return new ProxyException(ProxyResult.INVALID_USAGE, type + " for connection "
                    + Long.toHexString(call.connectionId()) + ", which rank " + context.rank()
                    + " has not made for this peer");
        }
        if (!type.isAllowedIn(connection.state())) {
            return new ProxyException(ProxyResult.INVALID_USAGE,
                    type + " is not allowed while " + connection + " is " + connection.state());
        }
        if (busy.containsKey(connection) && handlers.get(type).isExclusive()) {
            return new ProxyException(ProxyResult.INVALID_USAGE,
                    type + " while another call for " + connection + " is pending");
        }
        return null;
    }

    /** Whether its connection has moved on meanwhile, so that it cannot be carried out; then it is answered. */
    private boolean isOvertaken(ServiceCall call) {
        if (!handlers.get(call.type()).isExclusive() || call.type().isAllowedIn(call.connection().state())) {
            return false;
        }
        registrations.abandon(call);
        answer(call, ProxyResult.INVALID_USAGE, call.connection() + " is " + call.connection().state(), NOTHING);
        return true;
    }

    /** Returns whether the call was answered. */
    private boolean drive(ServiceCall call) {
        try {
            response.clear();
            ProxyResult result = handlers.get(call.type()).handler().handle(call, response);
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
        } catch (RuntimeException e) {
            LOGGER.error("rank {}: {} failed for a bug of proxyrt or of a transport", context.rank(), call, e);
            answer(call, ProxyResult.INTERNAL_ERROR, call.type() + " failed: " + e, NOTHING);
        }
        return true;
    }

    private void answer(ServiceCall call, ProxyResult result, String detail, ByteBuffer body) {
        if (result.isError()) {
            counters.add(Counter.RPC_ERRORS, 1);
            failures.add(call, result + ": " + detail);
        }
        call.answer(result, detail, body);
    }

    private ProxyResult sharedInit(ServiceCall call, ByteBuffer response) {
        ProxyConnection connection = call.connection();
        int nChannels = SharedInitRequest.decode(call.request()).nChannels();
        return advance(connection, ConnectionState.SHARED_INITIALIZED,
                connection.transport().proxySharedInit(connection, nChannels, response));
    }

    private ProxyResult setup(ServiceCall call, ByteBuffer response) {
        ProxyConnection connection = call.connection();
        return advance(connection, ConnectionState.SETUP_DONE,
                connection.transport().proxySetup(connection, call.request(), response));
    }

    private ProxyResult connect(ServiceCall call, ByteBuffer response) {
        ProxyConnection connection = call.connection();
        return advance(connection, ConnectionState.CONNECTED,
                connection.transport().proxyConnect(connection, call.request(), response));
    }

    private ProxyResult advance(ProxyConnection connection, ConnectionState next, ProxyResult result) {
        if (result == ProxyResult.SUCCESS) {
            connection.state(next);
            if (next == ConnectionState.CONNECTED) {
                connections.leave(EventType.CONNECTED, connection);
            }
        }
        return result;
    }

    private ProxyResult close(ServiceCall call, ByteBuffer response) {
        if (call.closing == null) {
            call.closing = call.connection() == null ? connections.ownedBy(call.peer()) : List.of(call.connection());
            connections.beginClose(call.closing, "its owner closed it");
        }
        return call.closing.stream().allMatch(connections::isFree) ? ProxyResult.SUCCESS : ProxyResult.IN_PROGRESS;
    }

    private ProxyResult stop(ServiceCall call, ByteBuffer response) {
        if (call.peer().rank() != context.rank()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "STOP is for rank " + context.rank() + " itself, not "
                    + "for " + call.peer());
        }
        isStopping = true;
        return ProxyResult.SUCCESS;
    }

    private ProxyResult ping(ServiceCall call, ByteBuffer response) {
        PingRequest.decode(call.request());
        new PingResponse(context.rank(), ProcessIdentity.current().pid(), isDriven).encode(response);
        return ProxyResult.SUCCESS;
    }

    private static ProxyResult refuseFd(ServiceCall call, ByteBuffer response) {
        throw new ProxyException(ProxyResult.INVALID_USAGE,
                call.type() + " passes file descriptors, and is served by the UDS thread only");
    }

    /** Answers what waits for a connection that closes. */
    private void answerBusy(ProxyConnection connection, String why) {
        ServiceCall call = busy.remove(connection);
        if (call == null) {
            return;
        }
        registrations.abandon(call);
        if (!call.isOver()) {
            answer(call, ProxyResult.INVALID_USAGE, connection + ": " + why, NOTHING);
        }
    }

    private void giveUpDeparted() {
        long now = context.clock().getAsLong();
        Iterator<Map.Entry<PeerId, Long>> all = departed.entrySet().iterator();
        for (boolean isDue = true; isDue && all.hasNext(); ) {
            Map.Entry<PeerId, Long> oldest = all.next();
            isDue = now - oldest.getValue() >= 0;
            if (isDue) {
                all.remove();
                giveUp(oldest.getKey());
            }
        }
    }

    private void giveUp(PeerId peer) {
        context.memory().forget(peer);
        connections.beginClose(connections.ownedBy(peer), peer + " went away");
    }
}
