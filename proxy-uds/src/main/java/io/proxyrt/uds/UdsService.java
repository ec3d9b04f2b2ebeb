/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.auth.Unauthenticated;
import io.proxyrt.core.auth.UserFilter;
import io.proxyrt.core.platform.Poller;
import io.proxyrt.core.platform.UnixSockets;
import io.proxyrt.core.service.UdsClient;
import io.proxyrt.core.service.UdsEndpoint;
import io.proxyrt.core.service.UdsHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.slf4j.Logger;

/** The listener and its sessions, confined to the thread that drives it; and the clients, so that it can end them. */
final class UdsService implements UdsEndpoint {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    /** In a flood those who are in are served in between. */
    private static final int ACCEPTS_AT_ONCE = 16;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final UdsContext context;
    private final UdsHandler handler;
    private final UnixSockets.Listener listener;
    private final Poller poller;
    private final Refusals refusals;
    private final Map<Integer, UdsPeer> sessions = new HashMap<>();
    private final Unauthenticated<UdsPeer> halfOpen;
    /** Both in the order of their deadlines, for all in one have the same time. */
    private final Set<UdsPeer> unread = new LinkedHashSet<>();
    private final Map<PeerId, Integer> sessionsOfPeers = new LinkedHashMap<>();
    /** What a park found, or the next look. A number that was closed since is passed over, or only looked at. */
    private final List<Integer> ready = new ArrayList<>();
    private final IntConsumer onReady = ready::add;
    private final Set<UdsSession> clients = ConcurrentHashMap.newKeySet();
    private final AtomicInteger peers = new AtomicInteger();
    private volatile boolean isClosed;
    private volatile boolean areClientsEnded;
    /** Null unless the thread that drives this sleeps elsewhere. */
    private ReadinessWatch watch;
    private boolean isPaused;
    private long resumeNs;
    private RuntimeException bug;

    /** Takes over a socket that listens, and a poller that watches it. */
    UdsService(UdsContext context, UdsHandler handler, UnixSockets.Listener listener, Poller poller) {
        this.context = context;
        this.handler = handler;
        this.listener = listener;
        this.poller = poller;
        this.halfOpen = new Unauthenticated<>(context.settings().maxHalfOpen());
        this.refusals = new Refusals(LOGGER, "rank " + context.self().rank() + " refuses a peer of its UDS thread:");
    }

    @Override
    public String name() {
        return "proxy-uds-" + context.self().rank();
    }

    @Override
    public String address() {
        return context.address();
    }

    @Override
    public String describe() {
        return context.sockets().toString();
    }

    @Override
    public boolean admits(int uid) {
        return context.settings().users().admits(uid);
    }

    @Override
    public int peers() {
        return peers.get();
    }

    @Override
    public void wakeBy(Runnable sleeper) {
        watch = ReadinessWatch.start("proxy-watch-" + context.self().rank(), context.platform(), poller, sleeper);
    }

    @Override
    public UdsClient connect(String address, Duration timeout, Runnable driver) {
        UdsSession client = UdsSession.open(context, address, timeout, driver, () -> requireClients(address),
                clients::remove);
        // Added first, looked afterwards; endClients() does it the other way round: one of the two ends the client.
        clients.add(client);
        try {
            requireClients(address);
            return client;
        } catch (ProxyException e) {
            client.close();
            throw e;
        }
    }

    private void requireClients(String address) {
        if (areClientsEnded) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + context.self().rank()
                    + " closed its runtime and with it its session with " + address);
        }
    }

    @Override
    public void endClients() {
        areClientsEnded = true;
        clients.forEach(UdsSession::close);
    }

    /** {@inheritDoc} What escaped from the {@link UdsHandler} is thrown here, once; its caller has got an answer. */
    @Override
    public int doWork() {
        if (ready.isEmpty()) {
            poller.poll(0, onReady);
        }
        int done = 0;
        for (int i = 0; i < ready.size(); i++) {
            int number = ready.get(i);
            UdsPeer peer = sessions.get(number);
            if (peer != null) {
                done += serve(peer);
            } else if (number == listener.number()) {
                done += accept();
            }
        }
        ready.clear();
        done += expire(System.nanoTime());
        rethrowBug();
        return done;
    }

    @Override
    public void park(long maxNs) {
        if (!ready.isEmpty()) {
            return;
        }
        long nowNs = System.nanoTime();
        long waitNs = isPaused ? Math.min(maxNs, resumeNs - nowNs) : maxNs;
        if (!halfOpen.isEmpty()) {
            waitNs = Math.min(waitNs, halfOpen.oldest().deadlineNs() - nowNs);
        }
        if (!unread.isEmpty()) {
            waitNs = Math.min(waitNs, unread.iterator().next().deadlineNs() - nowNs);
        }
        if (waitNs > 0) {
            poller.poll(waitNs, onReady);
        }
    }

    @Override
    public boolean isWoken() {
        return true;
    }

    @Override
    public void wakeup(Thread runner) {
        poller.wakeup();
    }

    /** {@inheritDoc} Sessions end, with {@link UdsHandler#onDisconnect}; so do the clients. */
    @Override
    public void onClose() {
        isClosed = true;
        try {
            endClients();
            for (UdsPeer peer : List.copyOf(sessions.values())) {
                end(peer);
            }
        } finally {
            if (watch != null) {
                watch.close();
            }
            listener.close();
            poller.close();
            SocketAddresses.delete(context.address());
        }
        rethrowBug();
    }

    @Override
    public String toString() {
        return context + ": " + peers() + " peers, " + refusals + (isClosed ? ", closed" : "");
    }

    UdsContext context() {
        return context;
    }

    UdsHandler handler() {
        return handler;
    }

    Refusals refusals() {
        return refusals;
    }

    /** A half-open peer has proven who it is; false if there is no room for it. */
    boolean admit(UdsPeer peer, PeerId id) {
        if (peers.get() >= context.settings().maxConnections()) {
            return false;
        }
        halfOpen.remove(peer);
        peers.getAndIncrement();
        sessionsOfPeers.merge(id, 1, Integer::sum);
        LOGGER.info("rank {} accepts {}, {}, as a peer of its UDS thread", context.self().rank(), id,
                peer.credentials());
        return true;
    }

    /** The last answer waits to be read, or does so no longer. */
    void onUnread(UdsPeer peer, boolean isUnread) {
        if (isUnread ? unread.add(peer) : unread.remove(peer)) {
            poller.watch(peer.number(), !isUnread, isUnread);
        }
    }

    /** Keeps what escaped from the handler, to be thrown behind the answer to the peer. */
    void onBug(RuntimeException escaped) {
        if (bug == null) {
            bug = escaped;
        } else {
            bug.addSuppressed(escaped);
        }
    }

    private int serve(UdsPeer peer) {
        try {
            return peer.serve();
        } catch (ProxyException e) {
            refuse(peer, ProxyResult.REMOTE_ERROR, e.getMessage());
            return 1;
        } finally {
            if (peer.isAtEnd()) {
                end(peer);
            }
        }
    }

    private void refuse(UdsPeer peer, ProxyResult status, String reason) {
        refusals.add(peer, reason);
        peer.refuse(status, reason);
    }

    private int accept() {
        int count = 0;
        while (count < ACCEPTS_AT_ONCE && !isPaused) {
            try {
                UnixSockets.Socket socket = listener.accept();
                if (socket == null) {
                    break;
                }
                open(socket);
            } catch (ProxyException e) {
                freeDescriptor(e);
            }
            count++;
        }
        return count;
    }

    /** Takes one from a peer that has proven nothing; if there is none, the accept backlog has to wait a while. */
    private void freeDescriptor(ProxyException e) {
        refusals.add("a connection that cannot be accepted", e.getMessage());
        UdsPeer oldest = halfOpen.displace(System.nanoTime());
        if (oldest != null) {
            displace(oldest);
            return;
        }
        isPaused = true;
        resumeNs = System.nanoTime() + PAUSE_NS;
        poller.watch(listener.number(), false, false);
    }

    /** Its time is over, unless it proves itself with what it has sent by now. */
    private void displace(UdsPeer oldest) {
        serve(oldest);
        if (oldest.id() == null && !oldest.isAtEnd()) {
            refuse(oldest, ProxyResult.IN_PROGRESS, "is the oldest: "
                    + halfOpen.flood(System.nanoTime()) + "; " + UdsOptions.MAX_HALF_OPEN);
            end(oldest);
        }
    }

    private void open(UnixSockets.Socket socket) {
        UdsPeer peer;
        try {
            peer = new UdsPeer(this, socket, System.nanoTime() + context.settings().helloTimeoutNs());
            poller.watch(socket.number(), true, false);
        } catch (ProxyException e) {
            refusals.add("a connection that was accepted", e.getMessage());
            socket.close();
            return;
        }
        sessions.put(socket.number(), peer);
        if (!admits(peer.credentials().uid())) {
            refuse(peer, ProxyResult.REMOTE_ERROR, UserFilter.refusal(peer.credentials().uid()));
            end(peer);
            return;
        }
        UdsPeer oldest = halfOpen.add(peer, "user " + Integer.toUnsignedString(peer.credentials().uid()),
                System.nanoTime());
        if (oldest != null) {
            displace(oldest);
        }
    }

    private int expire(long nowNs) {
        int count = 0;
        while (!halfOpen.isEmpty() && halfOpen.oldest().deadlineNs() - nowNs <= 0) {
            UdsPeer late = halfOpen.oldest();
            refuse(late, ProxyResult.TIMEOUT, "has proven nothing in time; " + UdsOptions.HELLO_TIMEOUT);
            end(late);
            count++;
        }
        while (!unread.isEmpty() && unread.iterator().next().deadlineNs() - nowNs <= 0) {
            UdsPeer late = unread.iterator().next();
            refusals.add(late, "has not read its answer in time; " + UdsOptions.ANSWER_TIMEOUT);
            end(late);
            count++;
        }
        if (isPaused && resumeNs - nowNs <= 0) {
            isPaused = false;
            poller.watch(listener.number(), true, false);
        }
        return count;
    }

    private void end(UdsPeer peer) {
        if (sessions.remove(peer.number()) == null) {
            return;
        }
        halfOpen.remove(peer);
        unread.remove(peer);
        poller.remove(peer.number());
        peer.close();
        if (peer.id() != null) {
            peers.getAndDecrement();
            if (sessionsOfPeers.computeIfPresent(peer.id(), (id, count) -> count == 1 ? null : count - 1) == null) {
                disconnected(peer.id());
            }
        }
    }

    private void rethrowBug() {
        if (bug != null) {
            RuntimeException escaped = bug;
            bug = null;
            throw escaped;
        }
    }

    private void disconnected(PeerId peer) {
        try {
            handler.onDisconnect(peer);
        } catch (RuntimeException e) {
            onBug(e);
        }
    }
}
