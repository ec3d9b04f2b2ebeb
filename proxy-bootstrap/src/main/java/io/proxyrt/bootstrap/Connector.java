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
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Finds the root and is accepted by it, in the caller's thread. Tries again until the deadline when no process listens,
 * and also when another process than the root does: ranks often start before it, or while an older job's root still
 * ends.
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
    private final Deadline deadline;
    private final Poller poller;
    private int tries;
    private ProxyResult kindOfTrouble = ProxyResult.TIMEOUT;
    private Exception trouble;

    private Connector(UniqueId id, Claim claim, Deadline deadline, Poller poller) {
        this.id = id;
        this.claim = claim;
        this.rank = claim.rank();
        this.deadline = deadline;
        this.poller = poller;
    }

    /**
     * Blocks until the root has accepted this rank.
     *
     * @throws ProxyException {@code TIMEOUT} when the root could not be reached, {@code REMOTE_ERROR} when another
     *                        process answered there, the root's own reason when it refused, {@code INVALID_USAGE} when
     *                        interrupted, or when others may know the id and reach the address
     */
    static Session connect(UniqueId id, Claim claim, Deadline deadline) {
        Session session = null;
        Poller poller = null;
        try {
            poller = new SocketPoller();
            session = new Connector(id, claim, deadline, poller).connect();
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
        long pauseMillis = FIRST_PAUSE_MILLIS;
        do {
            for (final InetAddress address : addresses()) {
                claim.credential().requireFor(address);
                final Session session = attempt(new InetSocketAddress(address, id.address().getPort()));
                if (session != null) {
                    return session;
                }
            }
            pause(pauseMillis);
            pauseMillis = Math.min(2 * pauseMillis, MAX_PAUSE_MILLIS);
        } while (!deadline.isPast());
        throw gaveUp();
    }

    private InetAddress[] addresses() {
        try {
            return id.address().isUnresolved() ? InetAddress.getAllByName(id.address().getHostString())
                    : new InetAddress[] {id.address().getAddress()};
        } catch (UnknownHostException e) {
            tries++;
            trouble(ProxyResult.TIMEOUT, new IOException("no such host", e));
            return new InetAddress[0];
        }
    }

    private void pause(long millis) throws IOException {
        final long jitter = ThreadLocalRandom.current().nextLong(millis / 2 + 1);
        final Deadline end = Deadline.in(Duration.ofMillis(Math.min(millis / 2 + jitter, deadline.remainingMillis())));
        while (!end.isPast()) {
            await(end);
        }
    }

    private void await(Deadline end) throws IOException {
        poller.select(Math.min(end.remainingMillis(), deadline.remainingMillis()));
        if (Thread.currentThread().isInterrupted()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " was interrupted while joining the "
                    + root());
        }
    }

    private String root() {
        return RootAgent.name(id.address());
    }

    private Session attempt(InetSocketAddress address) {
        tries++;
        Link link = null;
        Session session = null;
        try {
            link = poller.dial(address, MAX_ANSWER_BYTES);
            reach(link);
            session = handshake(link, address);
        } catch (IOException e) {
            trouble(ProxyResult.TIMEOUT, e);
        } catch (Imposter e) {
            trouble(ProxyResult.REMOTE_ERROR, e);
        } finally {
            if (session == null && link != null) {
                link.close();
            }
        }
        return session;
    }

    private void trouble(ProxyResult kind, Exception e) {
        if (trouble != null && deadline.isPast()) {
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

    private void reach(Link link) throws IOException {
        final Deadline end = Deadline.in(Duration.ofNanos(Math.clamp(deadline.remainingNs(), 0, CONNECT_NS)));
        while (!link.finishConnect()) {
            if (end.isPast()) {
                throw new IOException("no answer to connecting");
            }
            await(end);
        }
    }

    private Session handshake(Link link, InetSocketAddress address) throws IOException {
        final Deadline end = Deadline.in(Duration.ofNanos(Math.clamp(deadline.remainingNs(), 0, ANSWER_NS)));
        final RankHandshake handshake = new RankHandshake(claim.credential(), link, claim.hello(Return.NONE,
                Deadline.millis(deadline.total()), deadline.remainingMillis()));
        handshake.begin();
        while (!handshake.isAnswered()) {
            link.flush();
            await(end);
            final boolean isOpen = read(link, handshake);
            if (!handshake.isAnswered() && !isOpen) {
                throw new Imposter("it closed the connection without an answer: the root of another job, or of another"
                        + " version, or one that just ended", null);
            }
            if (!handshake.isAnswered() && end.isPast()) {
                throw new Imposter("it took the connection, but did not answer", null);
            }
        }
        final Message.Accepted accepted = accepted(handshake.received().remove());
        return new Session(poller, link, address, claim, accepted, config(accepted), handshake.secret(),
                handshake.received());
    }

    private static boolean read(Link link, RankHandshake handshake) throws IOException {
        try {
            return link.read(handshake::receive);
        } catch (ProxyException e) {
            throw new Imposter("what answers there is no bootstrap root, it sent " + Wording.printable(link.preview())
                    + ": " + e.getMessage(), e);
        }
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
                + Wording.duration(deadline.total()) + ": " + (trouble == null ? "no time" : trouble.getMessage())
                + " (tries: " + tries + ")"
                + DescriptorLimit.advice(trouble, "; is the root running, and is this its address?"), trouble);
    }
}
