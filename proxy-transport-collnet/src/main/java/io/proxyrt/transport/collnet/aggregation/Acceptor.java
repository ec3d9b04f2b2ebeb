/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.auth.Unauthenticated;
import io.proxyrt.transport.collnet.wire.ServerHandshake;
import io.proxyrt.transport.collnet.wire.WireSockets;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

/** Accepts connections, and hands those that have proven themselves to their groups. */
final class Acceptor implements Runnable {
    private static final long TICK_MILLIS = 100;
    private static final long SHOW_MILLIS = 500;
    /** Behind a flood that fills the accept backlog a participant waits for a few passes. */
    private static final int ACCEPTS_PER_PASS = 64;

    private final AggregationSwitch owner;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final SelectionKey acceptKey;
    private final Refusals refusals;
    private final Tally tally = new Tally();
    private final Unauthenticated<Candidate> candidates;
    private final long handshakeNs;
    private final long idleMillis;
    private boolean isAcceptBroken;
    private long brokenNs;
    private volatile boolean isClosing;

    /** A connection that has not authenticated. */
    private record Candidate(SocketChannel channel, SocketAddress remote, ServerHandshake handshake, long acceptedNs) {
    }

    Acceptor(AggregationSwitch owner, ServerSocketChannel server) throws IOException {
        this.owner = owner;
        this.server = server;
        this.refusals = new Refusals(AggregationSwitch.LOG, owner.name() + " closed a connection from");
        this.candidates = new Unauthenticated<>(owner.config().limits().maxUnauthenticated());
        this.handshakeNs = owner.config().limits().handshakeTimeout().toNanos();
        this.idleMillis = owner.config().isShown() ? SHOW_MILLIS : 0;
        server.configureBlocking(false);
        this.selector = Selector.open();
        this.acceptKey = server.register(selector, SelectionKey.OP_ACCEPT);
    }

    Tally tally() {
        return tally;
    }

    /** From any thread: accepts no more. */
    void close() {
        isClosing = true;
        selector.wakeup();
    }

    @Override
    public void run() {
        try {
            while (!isClosing) {
                selector.select(this::ready, candidates.isEmpty() && !isAcceptBroken ? idleMillis : TICK_MILLIS);
                tick(System.nanoTime());
                owner.publish();
            }
        } catch (IOException | RuntimeException | Error e) {
            AggregationSwitch.LOG.error("{} accepts no more: this is a bug, please report it", owner.name(), e);
            owner.end();
        } finally {
            shutdown();
        }
    }

    private void tick(long nowNs) {
        expire(nowNs);
        if (isAcceptBroken && nowNs - brokenNs > TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS)) {
            isAcceptBroken = false;
            acceptKey.interestOps(SelectionKey.OP_ACCEPT);
        }
    }

    private void ready(SelectionKey key) {
        if (key == acceptKey) {
            accept();
        } else if (key.isValid()) {
            hear((Candidate) key.attachment());
        }
    }

    private void accept() {
        for (int i = 0; i < ACCEPTS_PER_PASS; i++) {
            try {
                final SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                welcome(channel);
            } catch (IOException e) {
                if (!isDescriptorFreed(e)) {
                    return;
                }
            }
        }
    }

    /** Most likely the process has no descriptor left: gives one back, or else waits for a moment. */
    private boolean isDescriptorFreed(IOException e) {
        final Candidate oldest = candidates.displace(System.nanoTime());
        isAcceptBroken = oldest == null;
        if (oldest == null) {
            AggregationSwitch.LOG.warn("{} cannot accept connections, and tries again: {}", owner.name(),
                    e.getMessage());
            acceptKey.interestOps(0);
            brokenNs = System.nanoTime();
        } else {
            displaced(oldest);
        }
        return oldest != null;
    }

    private void welcome(SocketChannel channel) {
        try {
            WireSockets.configure(channel);
            final Candidate candidate = new Candidate(channel, channel.getRemoteAddress(),
                    new ServerHandshake(owner.config().credential()), System.nanoTime());
            // A hello that is here already needs no place among those that are awaited.
            if (hear(candidate)) {
                channel.register(selector, SelectionKey.OP_READ, candidate);
                final Candidate oldest = candidates.add(candidate, Unauthenticated.source(candidate.remote),
                        candidate.acceptedNs);
                if (oldest != null) {
                    displaced(oldest);
                }
            }
        } catch (IOException e) {
            AggregationSwitch.LOG.debug("a connection ended as it was accepted", e);
            AggregationSwitch.close(channel);
        }
    }

    /** Reads what has come; returns whether more is to come. */
    private boolean hear(Candidate candidate) {
        try {
            if (!candidate.handshake.advance(candidate.channel)) {
                return true;
            }
            candidates.remove(candidate);
            cancel(candidate);
            admit(candidate);
        } catch (EOFException e) {
            turnAway(candidate, candidate.handshake.hello() == null ? "it closed the connection without a hello"
                    : candidate.handshake.hello().peer() + " closed the connection without a proof");
        } catch (IOException | ProxyException e) {
            turnAway(candidate, SwitchText.of(e));
        } catch (RuntimeException | Error e) {
            AggregationSwitch.LOG.error("{} drops a connection: it has too little memory, or this is a bug",
                    owner.name(), e);
            turnAway(candidate, e.toString());
        }
        return false;
    }

    private void cancel(Candidate candidate) {
        final SelectionKey key = candidate.channel.keyFor(selector);
        if (key != null) {
            key.cancel();
        }
    }

    private void admit(Candidate candidate) throws IOException {
        final String refusal = candidate.handshake.refusal().isEmpty()
                ? owner.assign(candidate.channel, candidate.handshake) : candidate.handshake.refusal();
        if (!refusal.isEmpty()) {
            owner.refuse(candidate.channel, candidate.handshake, refusal);
        }
    }

    /** Notes a refusal of any thread. */
    synchronized void refused(SocketAddress remote, String why) {
        tally.add(SwitchCounter.REFUSED, 1);
        refusals.add(PeerText.address(remote), why);
    }

    private void turnAway(Candidate candidate, String why) {
        candidates.remove(candidate);
        refused(candidate.remote, why);
        AggregationSwitch.close(candidate.channel);
    }

    /** Its time is over, unless it proves itself with what it has sent by now. */
    private void displaced(Candidate candidate) {
        if (hear(candidate)) {
            turnAway(candidate, candidates.flood(System.nanoTime()) + ", and this one was the oldest");
        }
    }

    private void expire(long nowNs) {
        for (Candidate oldest = candidates.oldest(); oldest != null && nowNs - oldest.acceptedNs > handshakeNs;
                oldest = candidates.oldest()) {
            turnAway(oldest, "it did not authenticate within " + TimeUnit.NANOSECONDS.toMillis(handshakeNs) + " ms");
        }
    }

    /** Closes everything, once no thread runs this. */
    void shutdown() {
        candidates.all().forEach(candidate -> AggregationSwitch.close(candidate.channel));
        try (selector; server) {
            AggregationSwitch.LOG.debug("{} accepts no more", owner.name());
        } catch (IOException e) {
            AggregationSwitch.LOG.debug("closing a listening socket failed", e);
        }
    }
}
