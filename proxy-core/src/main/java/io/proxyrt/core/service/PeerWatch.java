/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.ProcessIdentity;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.WatchKind;
import io.proxyrt.core.service.message.Farewell;
import io.proxyrt.core.service.message.PingRequest;
import io.proxyrt.core.service.message.PingResponse;
import io.proxyrt.core.service.message.Request;
import io.proxyrt.core.service.message.WatchRequest;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;

/**
 * Looks after one peer, over a session with its service. A Watch stays pending there until the peer leaves and says so;
 * a Ping now and then shows that a thread drives it. A session that ends without a word is opened anew, unless the
 * process is gone: cables are cut more often than processes die in silence. Where connections tell by themselves that
 * the peer is gone, only its silence is said here. Confined to the service thread.
 */
final class PeerWatch {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final long MS = 1_000_000;
    private static final int PINGS = 10;
    private static final long SHORTEST_PING_NS = 50 * MS;
    /** Each wakes two threads: rarer than every few seconds, an idle runtime's cost does not show. */
    private static final long LONGEST_PING_NS = 3_000 * MS;
    private static final long FIRST_RETRY_NS = 5 * MS;
    private static final long LONGEST_RETRY_NS = 50 * MS;
    private static final int MOST_DOUBLINGS = 16;
    /** A process that cannot be seen from here is gone if its service cannot be reached for so long. */
    private static final long GONE_NS = 800 * MS;

    private final PeerInfo peer;
    private final WatchKind kind;
    private final Function<SocketAddress, CompletableFuture<ProxyClient>> dialler;
    private final Predicate<ProcessIdentity> isAlive;
    private final boolean isNear;
    private final long silenceNs;
    private final long pingNs;
    private State state;
    private CompletableFuture<ProxyClient> dial;
    private ProxyClient session;
    /** Null before the peer is known to be the one. */
    private CompletableFuture<Farewell> farewell;
    /** Null while none is under way. */
    private CompletableFuture<PingResponse> ping;
    /** What the peer said of itself; null before its first word. */
    private PingResponse presence;
    private int failedDials;
    private long unreachableNs;
    private long nextNs;
    private long lastNs;
    /** Time during which this thread ran: a process that was stopped itself does not count that as a peer's silence. */
    private long awakeNs;
    private long heardNs;

    private enum State { DIALLING, WATCHING, WAITING, OVER }

    /**
     * Begins at once; the predicate is asked for processes of this PID namespace only. A peer is near if its service's
     * address means the same here as there.
     */
    PeerWatch(PeerInfo peer, WatchKind kind, boolean isNear,
            Function<SocketAddress, CompletableFuture<ProxyClient>> dialler, Predicate<ProcessIdentity> isAlive,
            long silenceNs, long nowNs) {
        this.peer = peer;
        this.isNear = isNear;
        this.kind = kind;
        this.dialler = dialler;
        this.isAlive = isAlive;
        this.silenceNs = silenceNs;
        this.pingNs = Math.clamp(silenceNs / PINGS, SHORTEST_PING_NS, LONGEST_PING_NS);
        this.lastNs = nowNs;
        dial(nowNs);
    }

    /** Looks what has come. Returns the loss once, as soon as it is known; null otherwise. */
    PeerLoss doWork(long nowNs) {
        awakeNs += Math.min(nowNs - lastNs, 2 * pingNs);
        lastNs = nowNs;
        return switch (state) {
            case DIALLING -> dial.isDone() ? onDialled(nowNs) : null;
            case WATCHING -> watch(nowNs);
            case WAITING -> retry(nowNs);
            case OVER -> null;
        };
    }

    /** When there is something to do, unless an answer comes before. */
    long dueNs() {
        return nextNs;
    }

    void close() {
        state = State.OVER;
        nextNs = Long.MAX_VALUE;
        dial.thenAccept(ProxyClient::close);
    }

    private void dial(long nowNs) {
        state = State.DIALLING;
        nextNs = nowNs + pingNs;
        dial = dialler.apply(peer.service());
    }

    private PeerLoss onDialled(long nowNs) {
        if (dial.isCompletedExceptionally()) {
            Throwable why = dial.exceptionNow();
            return hasLeft(nowNs, why) ? departed(why) : onUnreachable(nowNs, why.getMessage());
        }
        session = dial.resultNow();
        state = State.WATCHING;
        ping(nowNs);
        return null;
    }

    private PeerLoss watch(long nowNs) {
        if (farewell != null && farewell.isDone()) {
            return farewell.isCompletedExceptionally() ? onCut(nowNs, farewell.exceptionNow())
                    : gone(departure(farewell.resultNow()), false);
        }
        if (ping != null && ping.isDone()) {
            return onPing(nowNs);
        }
        if (nowNs - nextNs >= 0) {
            ping(nowNs);
        }
        return isSilent() ? over(name() + " has not answered for " + silenceNs / MS
                + " ms (peer.silence.timeout): it is stopped, its machine is overloaded, or the network is cut", true)
                : null;
    }

    private void ping(long nowNs) {
        nextNs = nowNs + pingNs;
        if (ping == null) {
            ping = call(new PingRequest());
        }
    }

    /** In another network namespace the peer's address may be another rank's. */
    private PeerLoss onPing(long nowNs) {
        if (ping.isCompletedExceptionally()) {
            return onCut(nowNs, ping.exceptionNow());
        }
        PingResponse answer = ping.resultNow();
        ping = null;
        if (answer.rank() != peer.rank() || answer.pid() != peer.process().pid()) {
            endSession();
            return onUnreachable(nowNs, "at " + peer.service() + " answers rank " + answer.rank() + " (pid "
                    + answer.pid() + ")");
        }
        presence = answer;
        heardNs = awakeNs;
        failedDials = 0;
        nextNs = nowNs + pingNs;
        if (farewell == null) {
            farewell = call(new WatchRequest());
        }
        return null;
    }

    private void endSession() {
        session.close();
        ping = null;
        farewell = null;
    }

    private PeerLoss onCut(long nowNs, Throwable why) {
        endSession();
        if (hasEnded()) {
            return died();
        }
        if (failedDials > 0) {
            return onUnreachable(nowNs, why.getMessage());
        }
        dial(nowNs);
        return null;
    }

    private PeerLoss onUnreachable(long nowNs, String why) {
        if (failedDials++ == 0) {
            unreachableNs = nowNs;
        }
        if (hasEnded()) {
            return died();
        }
        if (kind == WatchKind.LOSS && presence != null && !peer.process().identity().isVisible()
                && nowNs - unreachableNs >= GONE_NS) {
            return over(name() + ", of another PID namespace, died: its service is gone: " + why, true);
        }
        if (isSilent()) {
            return over(name() + " has not been reached for " + silenceNs / MS + " ms (peer.silence.timeout): " + why,
                    true);
        }
        boolean isUnproven = presence == null && !(isNear && kind == WatchKind.LOSS);
        if (kind == WatchKind.LOSS && isUnproven && failedDials == MOST_DOUBLINGS) {
            LOGGER.warn("{} is not watched: if it dies or leaves, only a timeout tells: {}", name(), why);
        }
        state = State.WAITING;
        long longest = isUnproven && failedDials >= MOST_DOUBLINGS ? LONGEST_PING_NS : LONGEST_RETRY_NS;
        nextNs = nowNs + Math.min(longest, FIRST_RETRY_NS << Math.min(failedDials, MOST_DOUBLINGS));
        return null;
    }

    /**
     * Whether the peer closed its runtime before it could send a farewell, in a process that lives on: its service
     * refuses, and was reached before or is near. What this side lacks to reach it, such as descriptors, does not
     * count.
     */
    private boolean hasLeft(long nowNs, Throwable why) {
        return kind == WatchKind.LOSS && failedDials > 0 && nowNs - unreachableNs >= GONE_NS && !hasEnded()
                && peer.process().identity().isVisible() && (presence != null || isNear) && isClosed(why);
    }

    private boolean isClosed(Throwable why) {
        return why.getCause() instanceof ConnectException
                || peer.service() instanceof UnixDomainSocketAddress unix && Files.notExists(unix.getPath());
    }

    private PeerLoss departed(Throwable why) {
        return over(name() + " left: it closed its runtime, for its service is gone: " + why.getMessage(), false);
    }

    private PeerLoss retry(long nowNs) {
        if (nowNs - nextNs >= 0) {
            dial(nowNs);
        }
        return null;
    }

    /** One whose caller drives it may compute meanwhile. */
    private boolean isSilent() {
        return presence != null && !presence.isDriven() && awakeNs - heardNs > silenceNs;
    }

    private boolean hasEnded() {
        return peer.process().identity().isVisible() && !isAlive.test(peer.process().identity());
    }

    private PeerLoss died() {
        return gone(ProxyException.ofPeer(peer.rank(), name() + " died: its process ended without closing its runtime"),
                true);
    }

    /** Returns null if the connections tell. */
    private PeerLoss gone(ProxyException cause, boolean hasDied) {
        if (kind == WatchKind.SILENCE) {
            close();
            return null;
        }
        return over(cause, hasDied);
    }

    private PeerLoss over(String what, boolean hasDied) {
        return over(ProxyException.ofPeer(peer.rank(), what), hasDied);
    }

    private PeerLoss over(ProxyException cause, boolean hasDied) {
        close();
        return new PeerLoss(cause, hasDied);
    }

    private ProxyException departure(Farewell word) {
        if (!word.hasFailed()) {
            return ProxyException.ofPeer(peer.rank(), name() + " left: " + word.reason());
        }
        return word.culprit() < 0
                ? new ProxyException(ProxyResult.REMOTE_ERROR, name() + " failed: " + word.reason())
                : ProxyException.ofPeer(word.culprit(), word.reason() + "; so " + name() + " gave up");
    }

    private <R> CompletableFuture<R> call(Request<R> request) {
        return session.call(request.type(), 0, request.encode()).thenApply(request::response);
    }

    private String name() {
        return "rank " + peer.rank() + " (pid " + peer.process().pid() + ")";
    }
}
