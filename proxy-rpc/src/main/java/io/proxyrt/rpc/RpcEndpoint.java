/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.PreferHeapByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.ProxyClient;
import io.proxyrt.core.service.RpcHandler;
import io.proxyrt.core.service.ServiceEndpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * The listener, its sessions, and the clients that were opened through it, in one loop. {@link #doWork()},
 * {@link #park(long)} and {@link #onClose()} may be called by different threads, one at a time.
 */
final class RpcEndpoint implements ServiceEndpoint {
    private static final Logger LOGGER = Subsystem.PROXY.logger();

    private final TurnLoop loop;
    private final RpcSettings settings;
    private final RpcService service;
    private final Channel listener;
    private final ServiceSocket socket;
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(false);
    private final ByteBufAllocator allocator = new PreferHeapByteBufAllocator(memory);
    private final Set<RpcClient> clients = ConcurrentHashMap.newKeySet();
    private final Set<CallerDrivenClient> callerDriven = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;
    private int doneWhileParked;

    /** Takes over a bound socket. */
    RpcEndpoint(RpcSettings settings, RpcHandler handler, ServiceSocket socket) {
        this.settings = settings;
        this.service = new RpcService(settings, handler);
        this.socket = socket;
        this.loop = new TurnLoop();
        try {
            this.listener = listen();
        } catch (RuntimeException | Error e) {
            loop.close();
            throw e;
        }
        if (socket.isExposed() && !settings.tls().isOn()) {
            LOGGER.info("rank {} listens at {}, which other hosts may reach, without TLS: calls can be read and "
                    + "changed on the way; see {}", settings.rank(), socket, RpcOptions.TLS_CERTIFICATE);
        }
    }

    private Channel listen() {
        Channel channel = socket.channel();
        // One in each turn: in a flood of them, those who are in are served between two newcomers.
        channel.config().setRecvByteBufAllocator(new ServerChannelRecvByteBufAllocator());
        channel.pipeline().addLast(new Acceptor(service, allocator));
        loop.register(channel);
        return channel;
    }

    @Override
    public String name() {
        return "proxy-rpc-" + settings.rank();
    }

    @Override
    public SocketAddress address() {
        return socket.address();
    }

    /** Peers with an accepted session. */
    int peers() {
        return service.peers().count();
    }

    @Override
    public CompletableFuture<ProxyClient> connect(SocketAddress target) {
        try {
            refuseUnresolved(target);
        } catch (ProxyException e) {
            return CompletableFuture.failedFuture(e);
        }
        RpcClient client = newClient(loop, settings, target);
        client.open();
        return client.opened();
    }

    @Override
    public BlockingClient connectBlocking(SocketAddress target, Duration timeout) {
        refuseUnresolved(target);
        TurnLoop turns;
        try {
            turns = new TurnLoop();
        } catch (ChannelException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    "rank " + settings.rank() + " cannot open another session: " + e.getMessage()
                    + DescriptorLimit.advice(e, ""), e);
        }
        CallerDrivenClient client = new CallerDrivenClient(turns,
                newClient(turns, settings.withOpenTimeout(timeout), target), settings.spinNs(), callerDriven::remove);
        callerDriven.add(client);
        if (isClosed) {
            closeCallerDriven();
        }
        client.open(timeout);
        return client;
    }

    private RpcClient newClient(TurnLoop turns, RpcSettings its, SocketAddress target) {
        RpcClient client = new RpcClient(turns, its, allocator, target, clients::remove);
        // Added first, looked afterwards; onClose() does it the other way round: one of the two ends the client.
        clients.add(client);
        if (isClosed) {
            endClients();
        }
        return client;
    }

    private static void refuseUnresolved(SocketAddress target) {
        if (target instanceof InetSocketAddress internet && internet.isUnresolved()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "no session with " + target + ": the host is not known");
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>Frames that a park handled count here. What escaped from the {@link RpcHandler} is thrown here, once; its
     * caller has got an answer.
     */
    @Override
    public int doWork() {
        int done = doneWhileParked + loop.turn();
        doneWhileParked = 0;
        service.rethrowBug();
        return done;
    }

    /**
     * {@inheritDoc}
     *
     * <p>What becomes ready meanwhile is handled before this returns. A thread that is interrupted already waits as any
     * other, and stays interrupted: an interrupt flag that was left set shall not make the service spin.
     */
    @Override
    public void park(long maxNs) {
        boolean wasInterrupted = Thread.interrupted();
        try {
            doneWhileParked += loop.park(maxNs);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void wakeup(Thread runner) {
        loop.wakeup();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Sessions end, with {@link RpcHandler#onDisconnect}; calls and clients complete exceptionally. So do those that
     * their callers drive, whether one does at this moment or not.
     */
    @Override
    public void onClose() {
        isClosed = true;
        endClients();
        closeCallerDriven();
        loop.close();
        try {
            socket.close();
        } catch (IOException e) {
            LOGGER.warn("rank {} leaves its socket {} behind: {}", settings.rank(), socket, e.toString());
        }
        service.rethrowBug();
    }

    private void endClients() {
        for (RpcClient client : List.copyOf(clients)) {
            client.end(ProxyResult.INVALID_USAGE,
                    "rank " + settings.rank() + " closed its runtime and with it its session with " + client.service());
        }
    }

    private void closeCallerDriven() {
        List.copyOf(callerDriven).forEach(CallerDrivenClient::close);
    }

    @Override
    public String toString() {
        return "service of rank " + settings.rank() + " at " + socket + ": " + peers() + " peers, "
                + clients.size() + " clients, " + refusals() + (isClosed ? ", closed" : "");
    }

    Channel listener() {
        return listener;
    }

    /** Connections that are not accepted as sessions yet. Between turns only. */
    int unauthenticated() {
        return service.peers().unauthenticated().size();
    }

    Refusals refusals() {
        return service.refusals();
    }

    ByteBufAllocatorMetric memory() {
        return memory.metric();
    }
}
