/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.config.JobSecret;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/**
 * The wire side of the service, and what spares runtimes of one process the wire: they reach each other's service by
 * the address of its socket, and post to its thread what a session would carry. Calls that block take a socket.
 */
public final class NearEndpoint implements ServiceEndpoint {
    private static final Map<SocketAddress, NearEndpoint> OF_PROCESS = new ConcurrentHashMap<>();
    private static final int MAX_TASKS = 256;
    private static final int CHUNK = 16;

    private final ServiceEndpoint wire;
    private final PeerId self;
    private final JobSecret secret;
    private final RpcHandler handler;
    private final Queue<Runnable> posted = new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
    private final Set<NearSession> opened = ConcurrentHashMap.newKeySet();
    /** The service thread's. */
    private final Map<PeerId, Set<NearSession>> accepted = new HashMap<>();
    private volatile int nearPeers;
    private volatile boolean isClosed;

    /**
     * An endpoint that others of this process find from now on, until it is closed.
     *
     * @param wire    its sockets; owned by this object from now on
     * @param self    whose it is
     * @param secret  of the job; those that do not know it go by the wire, and are refused there
     * @param handler gets the calls, as it does those of the wire
     */
    public NearEndpoint(ServiceEndpoint wire, PeerId self, JobSecret secret, RpcHandler handler) {
        this.wire = wire;
        this.self = self;
        this.secret = secret;
        this.handler = handler;
        OF_PROCESS.put(wire.address(), this);
    }

    @Override
    public String name() {
        return wire.name();
    }

    @Override
    public SocketAddress address() {
        return wire.address();
    }

    @Override
    public CompletableFuture<ProxyClient> connect(SocketAddress target) {
        NearEndpoint there = OF_PROCESS.get(target);
        if (there == null || there.isClosed || isClosed || !secret.isSame(there.secret)) {
            return wire.connect(target);
        }
        NearSession session = new NearSession(this, there);
        opened.add(session);
        there.post(() -> there.accept(session));
        endIfClosed(session);
        return CompletableFuture.completedFuture(session);
    }

    @Override
    public BlockingClient connectBlocking(SocketAddress target, Duration timeout) {
        return wire.connectBlocking(target, timeout);
    }

    /** Done first, looked afterwards; {@link #onClose()} does it the other way round: one of the two ends it. */
    void endIfClosed(NearSession session) {
        if (isClosed) {
            session.end(new ProxyException(ProxyResult.INVALID_USAGE, "rank " + self.rank()
                    + " closed its runtime and with it its session with " + session.target().service()));
        } else if (session.target().isClosed) {
            // Behind the answers that it has posted.
            post(() -> session.end(new ProxyException(ProxyResult.REMOTE_ERROR, session.target().service()
                    + " went away")));
        }
    }

    /** Has the service thread do something soon. What comes behind the end is never done. */
    void post(Runnable task) {
        posted.add(task);
        wire.wakeup(null);
    }

    @Override
    public int doWork() {
        return doPosted() + wire.doWork();
    }

    private int doPosted() {
        int count = 0;
        for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
            task.run();
            if (++count == MAX_TASKS) {
                break;
            }
        }
        return count;
    }

    @Override
    public void park(long maxNs) {
        if (posted.isEmpty()) {
            wire.park(maxNs);
        }
    }

    @Override
    public boolean isWoken() {
        return wire.isWoken();
    }

    @Override
    public void wakeup(Thread runner) {
        wire.wakeup(runner);
    }

    /** {@inheritDoc} Sessions within this process end, too, on both sides. */
    @Override
    public void onClose() {
        isClosed = true;
        OF_PROCESS.remove(address(), this);
        try {
            List.copyOf(opened).forEach(this::endIfClosed);
            finishPosted();
            for (Set<NearSession> sessions : List.copyOf(accepted.values())) {
                sessions.forEach(session -> session.client().endIfClosed(session));
            }
            finishPosted();
        } finally {
            wire.onClose();
        }
    }

    private void finishPosted() {
        int done;
        do {
            done = doPosted();
        } while (done > 0);
    }

    PeerId self() {
        return self;
    }

    private void accept(NearSession session) {
        if (isClosed) {
            session.client().endIfClosed(session);
            return;
        }
        Set<NearSession> sessions = accepted.computeIfAbsent(session.client().self, _ -> new HashSet<>());
        sessions.add(session);
        nearPeers = accepted.size();
        if (sessions.size() == 1) {
            handler.onConnect(session.client().self);
        }
    }

    /** A session is over, ended by either side. Service thread. */
    void leave(NearSession session) {
        PeerId peer = session.client().self;
        Set<NearSession> sessions = accepted.get(peer);
        if (sessions != null && sessions.remove(session) && sessions.isEmpty()) {
            accepted.remove(peer);
            nearPeers = accepted.size();
            handler.onDisconnect(peer);
        }
    }

    void forget(NearSession session) {
        opened.remove(session);
    }

    /** One that closes serves no more. */
    void serve(NearCall call) {
        if (!isClosed && call.isOpen()) {
            call.serve(handler);
        }
    }

    /** Who it is to those that call. */
    String service() {
        return "the service of rank " + self.rank() + " at " + PeerText.address(address());
    }

    @Override
    public String toString() {
        return wire + (nearPeers == 0 ? "" : ", and " + nearPeers + " peers of this process");
    }
}
