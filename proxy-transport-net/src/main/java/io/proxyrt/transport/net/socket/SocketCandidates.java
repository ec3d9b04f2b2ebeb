/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** Those who knocked at a listening socket and have yet to say the right hello. */
final class SocketCandidates implements AutoCloseable {
    /** More than this wait in the system's backlog. */
    static final int MAX = 64;

    private final SocketSettings settings;
    private final ServerSocketChannel server;
    private final Function<UUID, SocketSession> sessions;
    private final List<Candidate> candidates = new ArrayList<>();
    private final SocketDropLog drops = new SocketDropLog(LOG);

    /** One who said the right hello; the channel is the receiver's to close. */
    record Guest(SocketChannel channel, SocketAddress address, SocketHello hello, SocketDropLog drops) {
        /** By the thread that let it in. */
        void turnAway(String why) {
            drops.dropped(address, why, System.nanoTime());
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
            settings.ports().bind(server, address);
            return server;
        } catch (IOException | RuntimeException e) {
            SocketChannels.close(server);
            throw e;
        }
    }

    boolean isEmpty() {
        return candidates.isEmpty();
    }

    /** Goes on, without blocking. Returns one who said the right hello, null if there is none now. */
    Guest next() throws IOException {
        takeIn();
        long nowNs = System.nanoTime();
        for (int i = candidates.size() - 1; i >= 0; i--) {
            Candidate candidate = candidates.get(i);
            String why = candidate.whyNot(nowNs);
            if (!why.isEmpty()) {
                candidates.remove(i);
                guest(candidate, null).turnAway(why);
            } else if (candidate.isComplete()) {
                candidates.remove(i);
                Guest guest = introduced(candidate);
                if (guest != null) {
                    return guest;
                }
            }
        }
        return null;
    }

    @Override
    public void close() {
        SocketChannels.close(server);
        candidates.forEach(candidate -> SocketChannels.close(candidate.channel));
        candidates.clear();
    }

    private Guest introduced(Candidate candidate) throws IOException {
        SocketSession session = sessions.apply(SocketHello.session(candidate.hello));
        String why = whyNot(candidate, session);
        if (why.isEmpty()) {
            return guest(candidate, SocketHello.decode(candidate.hello, session.terms().chunkBytes()));
        }
        guest(candidate, null).turnAway(why);
        return null;
    }

    /** The kernel is asked last, for it has to look through all sockets of the host. */
    private String whyNot(Candidate candidate, SocketSession session) throws IOException {
        if (session == null) {
            return "nobody here knows its session";
        }
        return SocketHello.isProven(candidate.hello, session.token())
                ? settings.users().judge(candidate.channel.getLocalAddress(), candidate.address).refusal()
                : "it has the wrong token";
    }

    private Guest guest(Candidate candidate, SocketHello hello) {
        return new Guest(candidate.channel, candidate.address, hello, drops);
    }

    private void takeIn() throws IOException {
        while (candidates.size() < MAX) {
            SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            welcome(channel);
        }
    }

    private void welcome(SocketChannel channel) {
        try {
            settings.applyTo(channel);
            candidates.add(new Candidate(channel, channel.getRemoteAddress(),
                    System.nanoTime() + settings.setUp().handshakeTimeoutNs()));
        } catch (IOException e) {
            LOG.warn("dropped a connection: {}", e.toString());
            SocketChannels.close(channel);
        }
    }

    /** One who has not said who it is. */
    private static final class Candidate {
        final SocketChannel channel;
        final ByteBuffer hello = ByteBuffer.allocate(SocketHello.BYTES);
        private final SocketAddress address;
        private final long deadlineNs;

        Candidate(SocketChannel channel, SocketAddress address, long deadlineNs) {
            this.channel = channel;
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
