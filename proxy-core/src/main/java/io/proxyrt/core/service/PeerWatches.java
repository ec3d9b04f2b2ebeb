/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.WatchKind;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;

/**
 * The peers of connections, for what their transport would not notice itself: each is watched once for each kind of
 * that, as long as there is a connection with it. Confined to the service thread, but for what is asked of it.
 */
public final class PeerWatches {
    private final ConnectionService service;
    private final AsyncResult asyncResult;
    private final Function<SocketAddress, CompletableFuture<ProxyClient>> dialler;
    private final PeerProcess self;
    private final long silenceNs;
    private final Queue<Runnable> commands = new MpscUnboundedVarHandleArrayQueue<>(64);
    private final Map<Key, Entry> byPeer = new HashMap<>();
    private final List<Entry> entries = new ArrayList<>();
    private final Map<ProxyConnection, Entry> byConnection = new HashMap<>();

    /**
     * Watches no peer yet.
     *
     * @param service     whose connections they are
     * @param asyncResult hears of peers that died
     * @param dialler     opens a session with a service, which is driven by the service thread
     */
    public PeerWatches(ConnectionService service, AsyncResult asyncResult,
            Function<SocketAddress, CompletableFuture<ProxyClient>> dialler) {
        this.service = service;
        this.asyncResult = asyncResult;
        this.dialler = dialler;
        this.silenceNs = service.context().runtime().config().get(CoreOptions.PEER_SILENCE_TIMEOUT).toNanos();
        this.self = PeerProcess.own(service.context().runtime().config());
        service.onFreed(this::forget);
    }

    /** A runtime that comes back is another one. */
    private record Key(int rank, SocketAddress service, WatchKind kind) {
    }

    private static final class Entry {
        final Key key;
        final PeerWatch watch;
        final Set<ProxyConnection> connections = new HashSet<>();
        /** Null while the peer is there. */
        PeerLoss loss;

        Entry(Key key, PeerWatch watch) {
            this.key = key;
            this.watch = watch;
        }
    }

    /**
     * Says whose a connection is that begins to get connected. Any thread; the service has to be woken.
     *
     * @param connection its id
     * @param peer       at the other end
     * @param kind       what its transport would not notice
     */
    public void begin(long connection, PeerInfo peer, WatchKind kind) {
        commands.add(() -> begin(service.find(connection), peer, kind));
    }

    /**
     * Tells kernels what becomes of a connection's peer. Any thread; the service has to be woken.
     *
     * @param connection its id
     * @param device     what its kernels have
     */
    public void attach(long connection, DeviceConnection device) {
        commands.add(() -> attach(service.find(connection), device));
    }

    /** Looks after the peers. Returns how many are gone. */
    int doWork() {
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
        }
        if (entries.isEmpty()) {
            return 0;
        }
        int lost = 0;
        long now = service.context().clock().getAsLong();
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            PeerLoss loss = entry.watch.doWork(now);
            if (loss != null) {
                onLoss(entry, loss);
                lost++;
            }
        }
        return lost;
    }

    /** How long nothing has to be done, unless an answer comes; greater than 0. */
    long parkNs(long maxNs) {
        if (!commands.isEmpty()) {
            return 1;
        }
        if (entries.isEmpty()) {
            return maxNs;
        }
        long now = service.context().clock().getAsLong();
        long longest = maxNs;
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).loss == null) {
                longest = Math.min(longest, entries.get(i).watch.dueNs() - now);
            }
        }
        return Math.max(1, longest);
    }

    void close() {
        entries.forEach(entry -> entry.watch.close());
    }

    private void begin(ProxyConnection connection, PeerInfo peer, WatchKind kind) {
        if (connection == null) {
            return;
        }
        connection.peerPid(peer.process().pid());
        Entry entry = byPeer.computeIfAbsent(new Key(peer.rank(), peer.service(), kind), key -> open(key, peer));
        entry.connections.add(connection);
        byConnection.put(connection, entry);
        if (entry.loss != null) {
            service.lose(Set.of(connection), entry.loss);
        }
    }

    private Entry open(Key key, PeerInfo peer) {
        Entry entry = new Entry(key, new PeerWatch(peer, key.kind, isNear(peer), dialler, ProcessIdentity::isAlive,
                silenceNs, service.context().clock().getAsLong()));
        entries.add(entry);
        return entry;
    }

    private boolean isNear(PeerInfo peer) {
        PeerProcess there = peer.process();
        return there.id() == self.id() || peer.service() instanceof InetSocketAddress
                && there.hostHash() == self.hostHash() && there.netId() == self.netId() && self.netId() != 0;
    }

    private void attach(ProxyConnection connection, DeviceConnection device) {
        if (connection == null) {
            return;
        }
        connection.attach(device);
        Entry entry = byConnection.get(connection);
        if (entry != null && entry.loss != null) {
            device.lose(entry.loss.cause());
        }
    }

    private void onLoss(Entry entry, PeerLoss loss) {
        entry.loss = loss;
        if (loss.hasDied()) {
            asyncResult.fail(loss.cause());
        }
        service.lose(entry.connections, loss);
    }

    private void forget(ProxyConnection connection) {
        Entry entry = byConnection.remove(connection);
        if (entry != null) {
            entry.connections.remove(connection);
            if (entry.connections.isEmpty()) {
                entry.watch.close();
                entries.remove(entry);
                byPeer.remove(entry.key);
            }
        }
    }
}
