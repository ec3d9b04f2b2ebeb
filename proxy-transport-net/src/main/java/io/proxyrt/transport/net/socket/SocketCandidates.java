/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.auth.Refusals;
import java.util.concurrent.ThreadLocalRandom;
import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.auth.Unauthenticated;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The unauthenticated connections of a listening socket: accepted, and still to send a valid hello. */
final class SocketCandidates implements AutoCloseable {
    /** One more, and the host that has most of them loses its oldest. */
    static final int MAX = 256;
    private static final int BACKLOG = 16_384;
    /** Behind a flood that fills the accept backlog a peer waits for a few passes. */
    private static final int ACCEPTS_PER_PASS = 256;
    /** A good peer's hello is here by then. */
    private static final long FRESH_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final SocketSettings settings;
    private final ServerSocketChannel server;
    private final Function<UUID, SocketSession> sessions;
    private final Unauthenticated<Candidate> candidates = new Unauthenticated<>(MAX);
    private final Queue<AcceptedSocket> introduced = new ArrayDeque<>();
    private long lastAcceptedNs = System.nanoTime() - FRESH_NS;
    private final Refusals refusals = new Refusals(LOG, "dropped a connection from");

    /** A connection with a valid hello; the receiver closes the channel. */
    record AcceptedSocket(SocketChannel channel, SocketAddress address, SocketHello hello, Refusals refusals) {
        /** By the thread that accepted it. */
        void turnAway(String why) {
            refusals.add(SocketChannels.text(address), why);
            SocketChannels.close(channel);
        }
    }

    /** Over a listening socket, which is taken over; sessions knows a session's token and terms, or says null. */
    SocketCandidates(SocketSettings settings, ServerSocketChannel server, Function<UUID, SocketSession> sessions) {
        this.settings = settings;
        this.server = server;
        this.sessions = sessions;
    }

    /** Listens at an address, at one of the ports that listeners may take. */
    static ServerSocketChannel listen(SocketSettings settings, InetAddress address) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(SocketChannels.family(address));
        try {
            settings.applyTo(server);
            // Many ranks of a host look for a port at the same time.
            int start = ThreadLocalRandom.current().nextInt(settings.ports().count());
            settings.ports().bind(server, address, BACKLOG, start);
            return server;
        } catch (IOException | RuntimeException e) {
            SocketChannels.close(server);
            throw e;
        }
    }

    /** Whether a hello is to be expected soon. */
    boolean isExpecting() {
        return !candidates.isEmpty() && System.nanoTime() - lastAcceptedNs < FRESH_NS;
    }

    /** Goes on, without blocking. Returns a connection with a valid hello, null if there is none now. */
    AcceptedSocket next() throws IOException {
        if (introduced.isEmpty()) {
            long nowNs = System.nanoTime();
            candidates.all().forEach(candidate -> look(candidate, nowNs));
            takeIn(nowNs);
        }
        return introduced.poll();
    }

    @Override
    public void close() {
        SocketChannels.close(server);
        candidates.all().forEach(candidate -> SocketChannels.close(candidate.channel));
        introduced.forEach(socket -> SocketChannels.close(socket.channel));
        introduced.clear();
    }

    /** Reads what has come. Returns whether more is to come. */
    private boolean look(Candidate candidate, long nowNs) {
        String why = candidate.whyNot(nowNs);
        if (why.isEmpty() && !candidate.isComplete()) {
            return true;
        }
        candidates.remove(candidate);
        AcceptedSocket socket = why.isEmpty() ? introduced(candidate) : null;
        if (socket != null) {
            introduced.add(socket);
        } else if (!why.isEmpty()) {
            socket(candidate, null).turnAway(why);
        }
        return false;
    }

    private AcceptedSocket introduced(Candidate candidate) {
        SocketSession session = sessions.apply(SocketHello.session(candidate.hello));
        String why = whyNot(candidate, session);
        if (why.isEmpty()) {
            return socket(candidate, SocketHello.decode(candidate.hello, session.terms().chunkBytes()));
        }
        socket(candidate, null).turnAway(why);
        return null;
    }

    /** The kernel is asked last, for it has to look through all sockets of the host. */
    private String whyNot(Candidate candidate, SocketSession session) {
        if (session == null) {
            return "its session is not known here";
        }
        return SocketHello.isProven(candidate.hello, session.token())
                ? settings.users().judge(candidate.local, candidate.address).refusal()
                : "it has the wrong token";
    }

    private AcceptedSocket socket(Candidate candidate, SocketHello hello) {
        return new AcceptedSocket(candidate.channel, candidate.address, hello, refusals);
    }

    /** Without a descriptor left for the next connection, an older one that has not authenticated gives its own. */
    private void takeIn(long nowNs) throws IOException {
        for (int i = 0; i < ACCEPTS_PER_PASS; i++) {
            try {
                SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                welcome(channel, nowNs);
            } catch (IOException e) {
                Candidate oldest = candidates.displace(nowNs);
                if (oldest == null) {
                    throw e;
                }
                displaced(oldest, nowNs);
            }
        }
    }

    private void welcome(SocketChannel channel, long nowNs) {
        try {
            settings.applyTo(channel);
            Candidate candidate = new Candidate(channel, channel.getLocalAddress(), channel.getRemoteAddress(),
                    nowNs + settings.setUp().handshakeTimeoutNs());
            // A hello that is here already needs no place among those that are awaited.
            if (look(candidate, nowNs)) {
                lastAcceptedNs = nowNs;
                Candidate oldest = candidates.add(candidate, Unauthenticated.source(candidate.address), nowNs);
                if (oldest != null) {
                    displaced(oldest, nowNs);
                }
            }
        } catch (IOException e) {
            refusals.add("an unknown address", e.toString());
            SocketChannels.close(channel);
        }
    }

    /** Its time is over, unless its hello has come by now. */
    private void displaced(Candidate candidate, long nowNs) {
        if (look(candidate, nowNs)) {
            socket(candidate, null).turnAway(candidates.flood(nowNs) + ", and this one was the oldest");
        }
    }

    /** One who has not said who it is. */
    private static final class Candidate {
        final SocketChannel channel;
        final ByteBuffer hello = ByteBuffer.allocate(SocketHello.BYTES);
        private final SocketAddress local;
        private final SocketAddress address;
        private final long deadlineNs;

        Candidate(SocketChannel channel, SocketAddress local, SocketAddress address, long deadlineNs) {
            this.channel = channel;
            this.local = local;
            this.address = address;
            this.deadlineNs = deadlineNs;
        }

        /** Reads on. Why it must go; empty as long as nothing is wrong. */
        String whyNot(long nowNs) {
            try {
                if (channel.read(hello) < 0) {
                    return "it left without a hello";
                }
            } catch (IOException e) {
                return e.toString();
            }
            String why = SocketHello.whyNot(hello);
            return why.isEmpty() && !isComplete() && nowNs - deadlineNs >= 0 ? "it did not say who it is in time" : why;
        }

        boolean isComplete() {
            return !hello.hasRemaining();
        }
    }
}
