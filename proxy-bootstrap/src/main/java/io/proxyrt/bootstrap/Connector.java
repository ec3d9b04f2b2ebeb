/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import static io.proxyrt.bootstrap.BootstrapDescriptor.MAX_ANSWER_BYTES;

import io.proxyrt.bootstrap.RankHandshake.Imposter;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.DescriptorLimit;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Finds the root and is accepted by it. Tries again until the deadline when no process listens, and also when another
 * process than the root does: ranks often start before it, or while an older job's root still ends. Confined to one
 * thread; nothing but {@link #connect} blocks, and the looking up of a host name.
 */
final class Connector {
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long MAX_PAUSE_MILLIS = 500;
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(5);
    /** A root that comes to its accept backlog late, on a busy machine, is no failure. */
    private static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(30);

    private final UniqueId id;
    private final Claim claim;
    private final int rank;
    private final Duration total;
    private final Poller poller;
    private final RandomGenerator random;
    private final long endNs;
    private Iterator<InetAddress> addresses = Collections.emptyIterator();
    /** Null during a pause. */
    private Link link;
    private InetSocketAddress address;
    /** Null until there is a connection. */
    private RankHandshake handshake;
    /** Of the pause, of connecting, or of waiting for the answer. */
    private long untilNs;
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private int tries;
    private ProxyResult kindOfTrouble = ProxyResult.TIMEOUT;
    private Exception trouble;

    /**
     * A rank that has not dialled yet.
     *
     * @param withinNs how much of the total time is left
     * @param afterNs  how long it is to wait before it does
     * @param random   has ranks that tried at the same time try again at others
     */
    Connector(UniqueId id, Claim claim, Duration total, long withinNs, long afterNs, Poller poller,
            RandomGenerator random) {
        this.id = id;
        this.claim = claim;
        this.rank = claim.rank();
        this.total = total;
        this.poller = poller;
        this.random = random;
        this.endNs = poller.nanoTime() + withinNs;
        this.untilNs = poller.nanoTime() + Math.clamp(afterNs, 0, withinNs / 2);
    }

    /**
     * Blocks until the root has accepted this rank.
     *
     * @throws ProxyException {@code TIMEOUT} when the root could not be reached, {@code REMOTE_ERROR} when another
     *                        process answered there, the root's own reason when it refused, {@code INVALID_USAGE} when
     *                        interrupted, or when others may know the id and reach the address
     */
    static Session connect(UniqueId id, Claim claim, Deadline deadline, long afterNs) {
        Session session = null;
        Poller poller = null;
        try {
            poller = new SocketPoller();
            session = new Connector(id, claim, deadline.total(), Math.max(0, deadline.remainingNs()), afterNs, poller,
                    ThreadLocalRandom.current()).connect();
            return session;
        } catch (IOException e) {
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "rank " + claim.rank() + " cannot use the network: "
                    + e.getMessage() + DescriptorLimit.advice(e, ""), e);
        } finally {
            if (session == null && poller != null) {
                poller.close();
            }
        }
    }

    private Session connect() throws IOException {
        Session session = null;
        try {
            while (session == null) {
                session = advance();
                if (session == null) {
                    await();
                }
            }
            return session;
        } finally {
            if (session == null) {
                hangUp();
            }
        }
    }

    private void await() throws IOException {
        poller.select(waitMillis());
        if (Thread.currentThread().isInterrupted()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " was interrupted while joining the "
                    + root());
        }
    }

    /** How long there is nothing to do, unless the poller has something. */
    long waitMillis() {
        final long ns = Math.min(untilNs, endNs) - poller.nanoTime();
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(ns + TimeUnit.MILLISECONDS.toNanos(1) - 1));
    }

    /** Goes on; returns null until the root has accepted this rank. Throws as {@link #connect}. */
    Session advance() {
        if (link == null && tries > 0 && isOver()) {
            throw gaveUp();
        }
        try {
            if (link == null && isPast(untilNs)) {
                dial();
            }
            if (link == null) {
                return null;
            }
            if (handshake == null) {
                reach();
            }
            return handshake == null ? null : answer();
        } catch (IOException e) {
            failed(ProxyResult.TIMEOUT, e);
        } catch (Imposter e) {
            failed(ProxyResult.REMOTE_ERROR, e);
        }
        return null;
    }

    private boolean isPast(long atNs) {
        return atNs - poller.nanoTime() <= 0;
    }

    private boolean isOver() {
        return isPast(endNs);
    }

    /** The next address, each once before any again. */
    private void dial() throws IOException {
        tries++;
        if (!addresses.hasNext()) {
            addresses = addresses();
        }
        address = new InetSocketAddress(addresses.next(), id.address().getPort());
        claim.credential().requireFor(address.getAddress());
        link = poller.dial(address, MAX_ANSWER_BYTES);
        untilNs = poller.nanoTime() + CONNECT_NS;
    }

    private Iterator<InetAddress> addresses() throws IOException {
        try {
            return id.address().isUnresolved()
                    ? List.of(InetAddress.getAllByName(id.address().getHostString())).iterator()
                    : List.of(id.address().getAddress()).iterator();
        } catch (UnknownHostException e) {
            throw new IOException("no such host", e);
        }
    }

    private void reach() throws IOException {
        if (link.finishConnect()) {
            handshake = new RankHandshake(claim.credential(), link, claim.hello(Return.NONE, Deadline.millis(total),
                    Math.max(0, TimeUnit.NANOSECONDS.toMillis(endNs - poller.nanoTime()))));
            handshake.begin();
            untilNs = poller.nanoTime() + ANSWER_NS;
        } else if (isPast(untilNs) || isOver()) {
            throw new IOException("no answer to connecting");
        }
    }

    private Session answer() throws IOException {
        final boolean isOpen = read();
        if (handshake.isAnswered()) {
            return session(accepted(handshake.received().remove()));
        }
        if (!isOpen) {
            throw new Imposter("it closed the connection without an answer: the root of another job, or of another"
                    + " version, or one that just ended", null);
        }
        if (isPast(untilNs) || isOver()) {
            throw new Imposter("it took the connection, but did not answer", null);
        }
        link.flush();
        return null;
    }

    private Session session(Message.Accepted accepted) {
        return new Session(poller, link, address, claim, accepted, config(accepted), handshake.secret(),
                handshake.received());
    }

    private boolean read() throws IOException {
        try {
            return link.read(handshake::receive);
        } catch (ProxyException e) {
            throw new Imposter("what answers there is no bootstrap root, it sent " + Wording.printable(link.preview())
                    + ": " + e.getMessage(), e);
        }
    }

    /** Tries the next address, or pauses before the first of all; throws when the time is over. */
    private void failed(ProxyResult kind, Exception e) {
        trouble(kind, e);
        hangUp();
        if (isOver()) {
            throw gaveUp();
        }
        untilNs = poller.nanoTime();
        if (!addresses.hasNext()) {
            final long jitter = random.nextLong(pauseMillis / 2 + 1);
            untilNs += TimeUnit.MILLISECONDS.toNanos(pauseMillis / 2 + jitter);
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        }
    }

    private void hangUp() {
        if (link != null) {
            link.close();
        }
        link = null;
        handshake = null;
    }

    private void trouble(ProxyResult kind, Exception e) {
        if (trouble != null && isOver()) {
            // A try that the deadline cut short says less than the one before.
            return;
        }
        if (trouble == null || kind != kindOfTrouble) {
            BootstrapRoot.LOG.debug("rank {} cannot join the {} yet, and tries again: {}", rank, root(),
                    e.getMessage());
        }
        kindOfTrouble = kind;
        trouble = e;
    }

    private String root() {
        return RootAgent.name(id.address());
    }

    private Message.Accepted accepted(Message answer) {
        if (answer instanceof Message.Refused refused) {
            throw new ProxyException(refused.result(), "rank " + rank + " was refused by the " + root() + ": "
                    + refused.text());
        }
        if (!(answer instanceof Message.Accepted accepted)) {
            throw new Imposter("what answers there is no bootstrap root, it sent a "
                    + answer.getClass().getSimpleName(), null);
        }
        return accepted;
    }

    private static BootstrapConfig config(Message.Accepted accepted) {
        try {
            return new BootstrapConfig(Duration.ofMillis(accepted.heartbeatMillis()),
                    Duration.ofMillis(accepted.terms().silenceMillis()), BootstrapConfig.defaults().handshakeTimeout(),
                    accepted.maxFrameBytes(), accepted.maxQueuedBytes(), 1);
        } catch (ProxyException e) {
            throw new Imposter("it named limits that make no sense: " + e.getMessage(), e);
        }
    }

    private ProxyException gaveUp() {
        final String what = kindOfTrouble == ProxyResult.TIMEOUT ? " could not reach" : " was not taken in by";
        return new ProxyException(kindOfTrouble, "rank " + rank + what + " the " + root() + " within "
                + Wording.duration(total) + ": " + (trouble == null ? "no time" : trouble.getMessage())
                + " (tries: " + tries + ")"
                + DescriptorLimit.advice(trouble, "; is the root running, and is this its address?"), trouble);
    }
}
