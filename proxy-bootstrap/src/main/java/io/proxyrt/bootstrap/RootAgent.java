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
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
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

    private final ServerSocketChannel server;
    private final Selector selector;
    private final Credential credential;
    private final byte[] salt = Transcript.nonce();
    private final BootstrapConfig config;
    private final Job job;
    private final String name;
    private final Refusals refusals;
    private final SelectionKey acceptKey;
    private final SilenceClock clock;
    private final long tickNs;
    private final Unauthenticated<Peer> unauthenticated;
    private final ArrayDeque<Peer> queued = new ArrayDeque<>();
    private long nowNs = System.nanoTime();
    private long nextTickNs = nowNs;
    private long nextHeartbeatNs = nowNs;
    private boolean isAcceptBroken;
    private boolean isAcceptBrokenKnown;
    private long lingerUntilNs;
    private volatile boolean isClosing;

    RootAgent(ServerSocketChannel server, String name, Credential credential, Job job, BootstrapConfig config,
            Refusals refusals) throws IOException {
        this.server = server;
        this.selector = Selector.open();
        this.credential = credential;
        this.config = config;
        this.job = job;
        this.name = name;
        this.refusals = refusals;
        this.unauthenticated = new Unauthenticated<>(config.maxUnauthenticated());
        this.clock = new SilenceClock(config.heartbeatInterval().toNanos(), nowNs);
        this.tickNs = TimeUnit.MILLISECONDS.toNanos(
                Math.clamp(config.heartbeatInterval().toMillis() / TICKS_PER_HEARTBEAT, 1, MAX_TICK_MILLIS));
        server.configureBlocking(false);
        this.acceptKey = server.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** From any thread, once: accepts no more; the end comes when all ranks have left, or this time has passed. */
    void close(long lingerNs) {
        lingerUntilNs = System.nanoTime() + lingerNs;
        isClosing = true;
        selector.wakeup();
    }

    @Override
    public void run() {
        try {
            while (!isDone()) {
                pass();
            }
            job.rootCloses(name);
            flush();
        } catch (IOException | RuntimeException | Error e) {
            BootstrapRoot.LOG.error("{} stops: this is a bug, please report it", name, e);
            job.fail(BootstrapDescriptor.NO_RANK, ProxyResult.INTERNAL_ERROR, name + " stops after " + e);
            flush();
        } finally {
            shutdown();
        }
    }

    private boolean isDone() {
        return isClosing && (job.isOver() || lingerUntilNs - System.nanoTime() <= 0);
    }

    private void pass() throws IOException {
        selector.select(this::ready, Math.max(1, TimeUnit.NANOSECONDS.toMillis(tickNs)));
        nowNs = System.nanoTime();
        clock.advance(nowNs);
        if (nextTickNs - nowNs <= 0) {
            nextTickNs = nowNs + tickNs;
            tick();
        }
        flush();
        final boolean accepts = !isAcceptBroken && !isClosing;
        acceptKey.interestOps(accepts ? SelectionKey.OP_ACCEPT : 0);
    }

    private void tick() {
        isAcceptBroken = false;
        if (nextHeartbeatNs - nowNs <= 0) {
            nextHeartbeatNs = nowNs + config.heartbeatInterval().toNanos();
            job.heartbeat();
        }
        final long limitNs = config.handshakeTimeout().toNanos();
        for (Peer peer = unauthenticated.oldest(); peer != null && nowNs - peer.acceptedNs() > limitNs;
                peer = unauthenticated.oldest()) {
            unauthenticated.remove(peer);
            turnAway(peer, "handshake", "it did not say within " + Wording.duration(config.handshakeTimeout())
                    + " which rank it is");
        }
        job.expire(nowNs, clock.awakeNs(), unauthenticated.flood(nowNs));
    }

    private void ready(SelectionKey key) {
        nowNs = System.nanoTime();
        if (!key.isValid()) {
            return;
        }
        if (key == acceptKey) {
            accept();
            return;
        }
        final Peer peer = ((Peer) key.attachment()).identity();
        if (key.isReadable()) {
            read(peer);
        }
        if (key.isValid() && key.isWritable()) {
            peer.queueFlush();
        }
    }

    private void accept() {
        for (int i = 0; i < ACCEPTS_PER_PASS; i++) {
            try {
                final SocketChannel channel = server.accept();
                if (channel == null) {
                    return;
                }
                isAcceptBrokenKnown = false;
                welcome(channel);
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

    private void welcome(SocketChannel channel) {
        final Link link = new Link(channel, BootstrapDescriptor.MAX_UNAUTHENTICATED_BYTES);
        try {
            Link.configure(channel);
            final Peer peer = new Peer(link, channel.getRemoteAddress(), nowNs, queued::add);
            channel.register(selector, SelectionKey.OP_READ, peer);
            // A hello that is here already needs no place among those that are awaited.
            read(peer);
            if (peer.isUnauthenticated() && peer.isOpen()) {
                await(peer);
            }
        } catch (IOException e) {
            link.close();
            BootstrapRoot.LOG.debug("a connection ended as it was accepted", e);
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
            final boolean isEmpty = peer.flush();
            if (peer.isOpen()) {
                peer.link().keyFor(selector).interestOps(
                        isEmpty ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE);
            }
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
        try (selector; server) {
            BootstrapRoot.LOG.debug("{} is closed", name);
        } catch (IOException e) {
            BootstrapRoot.LOG.debug("closing {} failed", name, e);
        }
    }

    /** The address in the messages of this root. */
    static String name(InetSocketAddress address) {
        return "bootstrap root at " + PeerText.address(address);
    }
}
