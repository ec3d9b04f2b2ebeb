/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.auth.Refusals;
import io.proxyrt.core.auth.Transcript;
import io.proxyrt.core.auth.Unauthenticated;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The root's thread: accepts, reads, writes and keeps time for one {@link Job}. A connection's trouble ends that
 * connection, never the loop.
 */
final class RootAgent implements Runnable {
    private static final long MAX_TICK_MILLIS = 100;
    private static final int TICKS_PER_HEARTBEAT = 4;
    /** Behind a flood that fills the accept backlog a rank waits for a few passes, and ranks that joined for one. */
    private static final int ACCEPTS_PER_PASS = 64;
    /** As many as an accept backlog has, ranks of a job may prove themselves at the same time. */
    private static final int MAX_AT_ONCE = 4096;

    private final Poller poller;
    private final Poller.Listener listener;
    private final Credential credential;
    private final byte[] salt = Transcript.nonce();
    private final BootstrapConfig config;
    private final Job job;
    private final String name;
    private final Refusals refusals;
    private final SilenceClock clock;
    private final long tickNs;
    /** Of the ranks: one gets its heartbeat with each tick. */
    private final int slices;
    private int slice;
    private final Unauthenticated<Peer> unauthenticated;
    private final ArrayDeque<Peer> queued = new ArrayDeque<>();
    private long nowNs;
    private long nextTickNs;
    private boolean isAcceptBroken;
    private boolean isAcceptBrokenKnown;
    private long lingerUntilNs;
    private volatile boolean isClosing;

    RootAgent(Poller poller, Poller.Listener listener, String name, Credential credential, Job job,
            BootstrapConfig config, Refusals refusals) {
        this.poller = poller;
        this.listener = listener;
        this.nowNs = poller.nanoTime();
        this.nextTickNs = nowNs;
        this.credential = credential;
        this.config = config;
        this.job = job;
        this.name = name;
        this.refusals = refusals;
        this.unauthenticated = new Unauthenticated<>(
                Math.max(config.maxUnauthenticated(), Math.min(job.nRanks(), MAX_AT_ONCE)));
        this.clock = new SilenceClock(config.heartbeatInterval().toNanos(), nowNs);
        this.tickNs = TimeUnit.MILLISECONDS.toNanos(
                Math.clamp(config.heartbeatInterval().toMillis() / TICKS_PER_HEARTBEAT, 1, MAX_TICK_MILLIS));
        this.slices = (int) Math.max(1, config.heartbeatInterval().toNanos() / tickNs);
        listener.onReady(this::accept);
    }

    /** From any thread, once: accepts no more; the end comes when all ranks have left, or this time has passed. */
    void close(long lingerNs) {
        lingerUntilNs = poller.nanoTime() + lingerNs;
        isClosing = true;
        poller.wakeup();
    }

    @Override
    public void run() {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = turn();
        }
    }

    /** One pass over the connections; returns false behind the last one, when all is closed. */
    boolean turn() {
        boolean goesOn = false;
        try {
            if (!isDone()) {
                pass();
                goesOn = true;
            } else {
                job.rootCloses(name);
                flush();
            }
        } catch (IOException | RuntimeException | Error e) {
            BootstrapRoot.LOG.error("{} stops: this is a bug, please report it", name, e);
            job.fail(BootstrapDescriptor.NO_RANK, ProxyResult.INTERNAL_ERROR, name + " stops after " + e);
            flush();
        } finally {
            if (!goesOn) {
                shutdown();
            }
        }
        return goesOn;
    }

    private boolean isDone() {
        return isClosing && (job.isOver() || lingerUntilNs - poller.nanoTime() <= 0);
    }

    private void pass() throws IOException {
        poller.select(TimeUnit.NANOSECONDS.toMillis(tickNs));
        nowNs = poller.nanoTime();
        clock.advance(nowNs);
        if (nextTickNs - nowNs <= 0) {
            nextTickNs = nowNs + tickNs;
            tick();
        }
        flush();
        listener.listen(!isAcceptBroken && !isClosing);
    }

    private void tick() {
        isAcceptBroken = false;
        job.heartbeat(slice, slices);
        slice = (slice + 1) % slices;
        final long limitNs = config.handshakeTimeout().toNanos();
        for (Peer peer = unauthenticated.oldest(); peer != null && nowNs - peer.acceptedNs() > limitNs;
                peer = unauthenticated.oldest()) {
            unauthenticated.remove(peer);
            turnAway(peer, "handshake", "it did not say within " + Wording.duration(config.handshakeTimeout())
                    + " which rank it is");
        }
        job.expire(nowNs, clock.awakeNs(), unauthenticated.flood(nowNs));
    }

    private void ready(Peer connected, Link link) {
        nowNs = poller.nanoTime();
        final Peer peer = connected.identity();
        if (link.isReadable()) {
            read(peer);
        }
        if (link.isWritable()) {
            peer.queueFlush();
        }
    }

    private void accept() {
        nowNs = poller.nanoTime();
        for (int i = 0; i < ACCEPTS_PER_PASS; i++) {
            try {
                final Link link = listener.accept(BootstrapDescriptor.MAX_UNAUTHENTICATED_BYTES);
                if (link == null) {
                    return;
                }
                isAcceptBrokenKnown = false;
                welcome(link);
            } catch (IOException e) {
                if (!isDescriptorFreed(e)) {
                    return;
                }
            }
        }
    }

    /** Most likely the process has no descriptor left: gives one back, or else waits for the next tick. */
    private boolean isDescriptorFreed(IOException e) {
        if (!isAcceptBrokenKnown) {
            isAcceptBrokenKnown = true;
            BootstrapRoot.LOG.warn("{} cannot accept connections, and tries again: {}", name, e.getMessage());
        }
        final Peer oldest = unauthenticated.displace(nowNs);
        isAcceptBroken = oldest == null;
        if (oldest != null) {
            displaced(oldest);
        }
        return oldest != null;
    }

    private void welcome(Link link) {
        final Peer peer = new Peer(link, link.remoteAddress(), nowNs, queued::add);
        link.onReady(() -> ready(peer, link));
        // A hello that is here already needs no place among those that are awaited.
        read(peer);
        if (peer.isUnauthenticated() && peer.isOpen()) {
            await(peer);
        }
    }

    private void read(Peer peer) {
        try {
            peer.heard(clock.awakeNs());
            if (peer.link().read(message -> receive(peer.identity(), message))) {
                peer.identity().report();
            } else {
                lose(peer.identity(), "end", "connection closed without goodbye");
            }
        } catch (IOException e) {
            lose(peer.identity(), "error", e.getMessage());
        } catch (ProxyException e) {
            if (peer.identity().isUnauthenticated()) {
                lose(peer, "protocol", "it sent " + e.getMessage());
            } else {
                job.lose(peer.identity(), "broke the protocol: " + e.getMessage());
            }
        }
    }

    private void receive(Peer peer, Message message) {
        if (!peer.isUnauthenticated()) {
            job.receive(peer, message, nowNs);
        } else if (message instanceof Message.Hello hello && peer.hello() == null) {
            peer.challenge(hello);
        } else if (message instanceof Message.Proof proof && peer.hello() != null) {
            admit(peer, proof);
        } else {
            throw MessageReader.malformed("no " + (peer.hello() == null ? "hello" : "proof"));
        }
    }

    private void admit(Peer peer, Message.Proof proof) {
        final Message.Hello hello = peer.hello();
        final String who = "rank " + hello.rank() + " of " + hello.nRanks() + ", pid " + hello.pid();
        if (!credential.isRankProof(hello, peer.challenge(), proof)) {
            refuse(peer, "proof", who + ", has another unique id or another secret than the job");
            return;
        }
        final String refusal = credential.refusal(peer.link());
        if (!refusal.isEmpty()) {
            refuse(peer, "user", who + ": " + refusal);
            return;
        }
        unauthenticated.remove(peer);
        peer.answer(credential.welcome(hello, peer.challenge(), salt));
        job.hello(peer, hello, nowNs);
    }

    private void refuse(Peer peer, String category, String why) {
        unauthenticated.remove(peer);
        log(peer, category, why);
        peer.close(new Message.Refused(ProxyResult.INVALID_USAGE, why));
    }

    private void await(Peer peer) {
        final Peer oldest = unauthenticated.add(peer, Unauthenticated.source(peer.remote()), nowNs);
        if (oldest != null) {
            displaced(oldest);
        }
    }

    /** Its time is over, unless it authenticates with what it has sent by now. */
    private void displaced(Peer peer) {
        read(peer);
        if (peer.isUnauthenticated() && peer.isOpen()) {
            final String flood = unauthenticated.flood(nowNs);
            log(peer, "flood", flood);
            peer.close(new Message.Busy(flood));
        }
    }

    private void lose(Peer peer, String category, String how) {
        if (peer.isUnauthenticated()) {
            unauthenticated.remove(peer);
            turnAway(peer, category, how);
        } else {
            job.broke(peer, how, nowNs);
        }
    }

    private void turnAway(Peer peer, String category, String detail) {
        log(peer, category, detail);
        peer.link().close();
    }

    /** The category is the reason without its numbers. */
    private void log(Peer peer, String category, String why) {
        final SocketAddress remote = peer.remote();
        final String host = remote instanceof InetSocketAddress inet ? inet.getHostString() : String.valueOf(remote);
        final byte[] sent = peer.link().preview();
        refusals.addOnce(host + "/" + category, PeerText.address(remote) + ", which is not a rank of this job",
                why + (sent.length == 0 ? "; it sent nothing" : "; it sent " + Wording.printable(sent)));
    }

    /**
     * Sends what was queued; a peer lost on the way queues the news of that for the others, who follow in this loop.
     */
    private void flush() {
        for (Peer peer = queued.poll(); peer != null; peer = queued.poll()) {
            flush(peer);
        }
    }

    private void flush(Peer peer) {
        try {
            peer.flush();
        } catch (IOException e) {
            read(peer);                     // its last word may be a goodbye, or say why it aborts
            if (peer.isOpen()) {
                lose(peer.identity(), "error", e.getMessage());
            }
        }
        final Peer whose = peer.identity();
        if (whose.isPresent() && whose.waitingBytes() > config.maxQueuedBytes()) {
            job.lose(whose, "died: it does not read, " + whose.waitingBytes() + " bytes wait for it");
        }
    }

    /** Closes everything, once no thread runs this. */
    void shutdown() {
        unauthenticated.all().forEach(peer -> peer.link().close());
        job.present().forEach(Peer::close);
        listener.close();
        poller.close();
        BootstrapRoot.LOG.debug("{} is closed", name);
    }

    /** The address in the messages of this root. */
    static String name(InetSocketAddress address) {
        return "bootstrap root at " + PeerText.address(address);
    }
}
