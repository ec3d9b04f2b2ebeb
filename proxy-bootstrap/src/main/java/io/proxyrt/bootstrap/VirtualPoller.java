/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A thread of a {@link VirtualNetwork}: takes turns when something is there for it, or its time has come. */
final class VirtualPoller implements Poller {
    private static final long RETRY_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long NEVER = Long.MAX_VALUE;

    private final VirtualNetwork network;
    private final VirtualNetwork.Host host;
    private final PriorityQueue<VirtualLink.Arrival> arrivals = new PriorityQueue<>();
    private final Set<VirtualLink> links = new LinkedHashSet<>();
    /** Of connections and listeners that have something without an arrival: made, writable, or read in part. */
    private ArrayDeque<Runnable> ready = new ArrayDeque<>();
    private Turn turn = () -> false;
    private boolean isAlive = true;
    private boolean isStopped;
    private boolean isWoken;
    private boolean hasFound;
    /** When this thread has done what it is in. */
    private long busyUntilNs;
    private long spentNs;
    private boolean isInTurn;
    private long timerNs = NEVER;
    /** The earliest turn that is planned. */
    private long plannedNs = NEVER;
    private long framesOut;
    private long framesIn;
    private long bytesOut;
    private long bytesIn;
    private int mostLinks;

    VirtualPoller(VirtualNetwork network, VirtualNetwork.Host host) {
        this.network = network;
        this.host = host;
    }

    /** What a thread does again and again. */
    @FunctionalInterface
    interface Turn {
        /** Returns false behind the last one. */
        boolean take() throws IOException;
    }

    /** Has the thread begin. */
    void start(Turn first) {
        turn = first;
        plan(network.nowNs());
    }

    VirtualNetwork network() {
        return network;
    }

    VirtualNetwork.Host host() {
        return host;
    }

    /** The process ends: its connections do, too, and nothing that it has not sent leaves it. */
    void kill() {
        isAlive = false;
        Set.copyOf(links).forEach(VirtualLink::close);
    }

    /** The process does nothing any more; its connections stay. */
    void stop() {
        isStopped = true;
    }

    private void plan(long atNs) {
        if (atNs < plannedNs) {
            plannedNs = atNs;
            network.at(atNs, () -> run(atNs));
        }
    }

    private void run(long atNs) {
        if (atNs != plannedNs) {
            return;                 // another one came before it
        }
        plannedNs = NEVER;
        if (!isAlive || isStopped) {
            return;
        }
        if (busyUntilNs > atNs) {
            plan(busyUntilNs);
            return;
        }
        takeTurns();
    }

    private void takeTurns() {
        isInTurn = true;
        spentNs = 0;
        timerNs = NEVER;
        try {
            do {
                hasFound = false;
                isAlive = turn.take();
            } while (isAlive && hasFound);
        } catch (IOException e) {
            throw new AssertionError("a virtual network is never at fault", e);
        } finally {
            isInTurn = false;
        }
        busyUntilNs = network.nowNs() + spentNs;
        if (isAlive) {
            final VirtualLink.Arrival next = arrivals.peek();
            plan(Math.max(busyUntilNs, Math.min(timerNs, next == null ? NEVER : next.atNs())));
        }
    }

    /** This thread was busy for a frame. */
    void spend() {
        spentNs += network.model().frameNs();
    }

    void sent(int frames, int bytes) {
        framesOut += frames;
        bytesOut += bytes;
    }

    void received(int bytes) {
        framesIn++;
        bytesIn += bytes;
    }

    long frames() {
        return framesIn + framesOut;
    }

    long bytesIn() {
        return bytesIn;
    }

    long bytesOut() {
        return bytesOut;
    }

    /** The most connections it had at once. */
    int mostLinks() {
        return mostLinks;
    }

    void add(VirtualLink link) {
        links.add(link);
        mostLinks = Math.max(mostLinks, links.size());
    }

    void remove(VirtualLink link) {
        links.remove(link);
    }

    /** Something will be there for a connection. */
    void arrives(VirtualLink.Arrival arrival) {
        if (isAlive) {
            arrivals.add(arrival);
            plan(arrival.atNs());
        }
    }

    /** Runs this with the next wait. */
    void ready(Runnable what) {
        if (isAlive) {
            ready.add(what);
            plan(network.nowNs());
        }
    }

    @Override
    public long nanoTime() {
        return network.nowNs() + (isInTurn ? spentNs : 0);
    }

    @Override
    public Link dial(InetSocketAddress to, int maxBodyBytes) {
        final VirtualLink link = new VirtualLink(this, host.nextPort(), to, maxBodyBytes);
        add(link);
        spend();
        synchronize(link, to, RETRY_NS);
        return link;
    }

    /** Asks for a connection; where the backlog is full it asks again, as TCP does. */
    private void synchronize(VirtualLink link, InetSocketAddress to, long againNs) {
        final long leaveNs = nanoTime();
        final long wayNs = network.model().latencyNs();
        network.at(leaveNs + wayNs, () -> {
            final VirtualListener listener = network.listener(to);
            if (!link.isOpen()) {
                return;
            }
            if (listener == null) {
                network.at(network.nowNs() + wayNs, () -> link.refused(new ConnectException("Connection refused")));
            } else if (!listener.offer(link)) {
                network.at(leaveNs + againNs, () -> {
                    if (link.isOpen()) {
                        synchronize(link, to, 2 * againNs);
                    }
                });
            }
        });
    }

    @Override
    public Listener listen(InetSocketAddress at, int backlog) {
        final InetSocketAddress address = at.getPort() == 0 ? host.nextPort() : at;
        final VirtualListener listener = new VirtualListener(address, Math.min(backlog, VirtualNetwork.MAX_BACKLOG));
        network.listen(address, listener);
        return listener;
    }

    /** A socket that listens. */
    final class VirtualListener implements Listener {
        private final InetSocketAddress address;
        private final int backlog;
        private final ArrayDeque<VirtualLink> waiting = new ArrayDeque<>();
        private Runnable accept = () -> { };
        private boolean isWanted = true;
        private boolean isReported;

        VirtualListener(InetSocketAddress address, int backlog) {
            this.address = address;
            this.backlog = backlog;
        }

        /** Takes a connection into the backlog, if there is room. */
        private boolean offer(VirtualLink from) {
            if (waiting.size() >= backlog) {
                return false;
            }
            waiting.add(from.accepted(VirtualPoller.this));
            report();
            return true;
        }

        private void report() {
            if (isWanted && !isReported && !waiting.isEmpty()) {
                isReported = true;
                ready(this::run);
            }
        }

        private void run() {
            isReported = false;
            accept.run();
            report();
        }

        @Override
        public InetSocketAddress address() {
            return address;
        }

        @Override
        public void onReady(Runnable what) {
            accept = what;
        }

        @Override
        public void listen(boolean wanted) {
            isWanted = wanted;
            report();
        }

        @Override
        public Link accept(int maxBodyBytes) {
            final VirtualLink link = waiting.poll();
            if (link != null) {
                spend();
                add(link);
                link.maxBodyBytes(maxBodyBytes);
            }
            return link;
        }

        @Override
        public void close() {
            network.listenNoMore(address);
            waiting.forEach(VirtualLink::close);
            waiting.clear();
        }
    }

    @Override
    public void select(long millis) {
        hasFound = isWoken || !ready.isEmpty();
        isWoken = false;
        final ArrayDeque<Runnable> now = ready;
        ready = new ArrayDeque<>();
        now.forEach(Runnable::run);
        while (!arrivals.isEmpty() && arrivals.peek().atNs() <= nanoTime()) {
            hasFound = true;
            arrivals.remove().arrive();
        }
        timerNs = nanoTime() + TimeUnit.MILLISECONDS.toNanos(Math.max(1, millis));
    }

    @Override
    public void wakeup() {
        isWoken = true;
        plan(network.nowNs());
    }

    @Override
    public void close() {
        arrivals.clear();
        ready.clear();
    }
}
