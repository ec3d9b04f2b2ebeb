/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.auth.Transcript;
import static io.proxyrt.bootstrap.BootstrapDescriptor.NO_RANK;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What the root knows of its job: who has joined, who has left, which rounds are open, and how the job failed. Confined
 * to the root's thread, but for {@link #failure()}.
 */
final class Job {
    private static final int MAX_PORT = 0xffff;

    private final int nRanks;
    private final BootstrapConfig config;
    private final Peer[] ranks;
    private final BitSet left = new BitSet();
    /** Of which the others have not been told. */
    private final BitSet leftSince = new BitSet();
    private final Rounds gathers;
    private final Rounds barriers;
    private final int fan;
    /** Ranks that pass answers on. */
    private final BitSet doors = new BitSet();
    private Peer host;
    private int joined;
    private long joinDeadlineNs;
    private long joinMillis;
    private volatile ProxyException failure;

    /**
     * A job that no rank has joined.
     *
     * @param fan to how many ranks a rank passes answers of all-gathers on; 0 if the root sends them to all
     */
    Job(int nRanks, BootstrapConfig config, int fan) {
        this.fan = fan;
        this.nRanks = nRanks;
        this.config = config;
        this.ranks = new Peer[nRanks];
        this.gathers = new Rounds(RoundKind.ALL_GATHER, nRanks, config, this::answer);
        this.barriers = new Rounds(RoundKind.BARRIER, nRanks, config, this::answer);
    }

    private void answer(int rank, ByteBuffer frame) {
        ranks[rank].send(frame);
    }

    int nRanks() {
        return nRanks;
    }

    Optional<ProxyException> failure() {
        return Optional.ofNullable(failure);
    }

    /** All ranks that have joined, and are connected or may come back. */
    Stream<Peer> present() {
        return Arrays.stream(ranks).filter(Objects::nonNull).filter(Peer::isPresent);
    }

    /** Admits an authenticated connection as a rank, or refuses it with the reason. */
    void hello(Peer peer, Message.Hello hello, long nowNs) {
        final Message.Refused refusal = hello.back().isJoin() ? refusal(hello) : refusalToReturn(hello);
        if (refusal != null) {
            BootstrapRoot.LOG.warn("refused {} as rank {}: {}", peer, hello.rank(), refusal.text());
            peer.close(refusal);
            failMisled(peer, hello, refusal.text());
        } else if (hello.back().isJoin()) {
            join(peer, hello, nowNs);
        } else {
            BootstrapRoot.LOG.info("{} came back from {}", ranks[hello.rank()], peer);
            ranks[hello.rank()].goOn(peer, hello.back());
        }
    }

    /** The others would wait for a rank that counts otherwise. */
    private void failMisled(Peer peer, Message.Hello hello, String text) {
        if (hello.nRanks() != nRanks && !isComplete()) {
            fail(NO_RANK, ProxyResult.INVALID_ARGUMENT, text + " (pid " + hello.pid() + " at " + peer + ")");
        }
    }

    private void join(Peer peer, Message.Hello hello, long nowNs) {
        peer.becomes(hello, new Message.Accepted((int) config.heartbeatInterval().toMillis(), config.maxFrameBytes(),
                config.maxQueuedBytes(), hello.terms().within(config), ByteBuffer.wrap(Transcript.nonce()).getLong(),
                Origin.own()));
        ranks[hello.rank()] = peer;
        joined++;
        BootstrapRoot.LOG.debug("{} has joined, {} of {}", peer, joined, nRanks);
        tellHost(peer);
        final long deadlineNs = nowNs + TimeUnit.MILLISECONDS.toNanos(hello.leftMillis());
        if (joined == 1 || deadlineNs - joinDeadlineNs < 0) {
            joinDeadlineNs = deadlineNs;
            joinMillis = hello.deadlineMillis();
        }
        if (isComplete()) {
            broadcast(new Message.Ready());
            for (int above = 0; fan > 0 && (above + 1L) * fan < nRanks; above++) {
                ranks[above].send(new TreeMessage.Fan(fan));
            }
        }
    }

    /** This rank passes answers on from now on, to those below it that reach it. */
    private void opened(Peer peer, TreeMessage.Door door) {
        final long first = (peer.rank() + 1L) * fan;
        if (fan == 0 || first >= nRanks || doors.get(peer.rank()) || door.port() < 1 || door.port() > MAX_PORT) {
            throw MessageReader.malformed("port " + door.port() + " for ranks below it");
        }
        doors.set(peer.rank());
        final InetAddress address = address(peer);
        final BitSet below = new BitSet();
        for (int rank = (int) first; rank < Math.min(first + fan, nRanks); rank++) {
            if (!address.isLoopbackAddress() || address(ranks[rank]).isLoopbackAddress()) {
                below.set(rank);
                ranks[rank].send(new TreeMessage.Above(door.port(), address.getAddress()));
            }
        }
        gathers.passedOn(below);
    }

    private static InetAddress address(Peer peer) {
        return ((InetSocketAddress) peer.remote()).getAddress();
    }

    /** The rank in whose process the root is, if there is one, is known when it has joined. */
    private void tellHost(Peer peer) {
        if (peer.origin().equals(Origin.own()) && (host == null || peer.rank() < host.rank())) {
            host = peer;
            broadcast(new Message.Host(host.rank(), host.origin().pid()));
        } else if (host != null) {
            peer.send(new Message.Host(host.rank(), host.origin().pid()));
        }
    }

    private Message.Refused refusalToReturn(Message.Hello hello) {
        final int rank = hello.rank();
        if (rank < 0 || rank >= nRanks || ranks[rank] == null) {
            return new Message.Refused(ProxyResult.REMOTE_ERROR, "rank " + rank + " comes back, and never joined");
        }
        final String why = ranks[rank].whyNotBack(hello.back());
        if (why.isEmpty()) {
            return null;
        }
        return new Message.Refused(ProxyResult.REMOTE_ERROR, failure == null ? why : failure.getMessage());
    }

    private Message.Refused refusal(Message.Hello hello) {
        final int rank = hello.rank();
        if (hello.nRanks() != nRanks) {
            return new Message.Refused(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " says the job has "
                    + hello.nRanks() + " ranks, the root was opened for " + nRanks);
        }
        if (rank < 0 || rank >= nRanks) {
            return new Message.Refused(ProxyResult.INVALID_ARGUMENT, "rank " + rank + " is not within 0 to "
                    + (nRanks - 1));
        }
        if (failure != null) {
            return new Message.Refused(failure.result(), "the job has failed: " + failure.getMessage());
        }
        if (ranks[rank] != null) {
            return new Message.Refused(ProxyResult.INVALID_USAGE, ranks[rank] + " has already "
                    + (left.get(rank) ? "joined and left" : "joined") + ": no two processes can be the same rank");
        }
        return null;
    }

    private boolean isComplete() {
        return joined == nRanks;
    }

    /** Takes what a rank sent; throws {@code REMOTE_ERROR} when it does not keep to the protocol. */
    void receive(Peer peer, Message message, long nowNs) {
        peer.heard(message);
        switch (message) {
            case Message.Heartbeat _ -> { }
            case Message.Abort abort -> fail(peer.rank(), ProxyResult.REMOTE_ERROR, peer + " aborted: " + abort.text());
            case Message.Goodbye _ -> leave(peer);
            case TreeMessage.Door door when isComplete() -> opened(peer, door);
            case TreeMessage.Got got when isComplete() -> gathers.got(peer.rank(), got.sequence());
            case Message.Part part when isComplete() -> contribute(peer, part, nowNs);
            case Message.Blob blob when isComplete() -> relay(peer, blob);
            default -> throw MessageReader.malformed("a " + message.getClass().getSimpleName()
                    + ", which is not for a rank to send now");
        }
    }

    private void contribute(Peer peer, Message.Part part, long nowNs) {
        if (failure == null) {
            (part.kind() == RoundKind.BARRIER ? barriers : gathers).contribute(peer.rank(), part, nowNs);
        }
    }

    private void relay(Peer peer, Message.Blob blob) {
        if (blob.peer() < 0 || blob.peer() >= nRanks) {
            throw MessageReader.malformed("a blob for rank " + blob.peer() + " of " + nRanks);
        }
        ranks[blob.peer()].send(new Message.Blob(peer.rank(), blob.tag(), blob.blob()));
    }

    private void leave(Peer peer) {
        peer.close();
        left.set(peer.rank());
        if (failure != null) {
            return;
        }
        if (!isComplete()) {
            fail(peer.rank(), ProxyResult.REMOTE_ERROR, peer + " left before all ranks had joined");
            return;
        }
        leftSince.set(peer.rank());
        gathers.leave(peer.rank());
        barriers.leave(peer.rank());
    }

    /** A rank's connection ended, and with it the rank, unless it may come back. */
    void broke(Peer peer, String how, long nowNs) {
        if (peer.isResumable()) {
            BootstrapRoot.LOG.info("{} may come back: {}", peer, how);
            peer.await(how, nowNs);
        } else {
            lose(peer, "died: " + how);
        }
    }

    /** A rank is gone, or must go; tells all others, and itself if it still listens. */
    void lose(Peer peer, String how) {
        final String text = peer + " " + how;
        peer.close(new Message.Failed(peer.rank(), ProxyResult.REMOTE_ERROR, text));
        fail(peer.rank(), ProxyResult.REMOTE_ERROR, text);
    }

    /**
     * The job is over; only the first failure is told, behind the answers of all rounds that were complete. The rank is
     * -1 when none is at fault alone.
     */
    void fail(int rank, ProxyResult result, String text) {
        if (failure != null) {
            BootstrapRoot.LOG.debug("after the job's failure: {}", text);
            return;
        }
        BootstrapRoot.LOG.warn("the job has failed: {}", text);
        failure = new ProxyException(result, text);
        gathers.settle();
        broadcast(new Message.Failed(rank, result, text));
    }

    private void broadcast(Message message) {
        final ByteBuffer frame = MessageCodec.encode(message);
        present().forEach(peer -> peer.send(frame.duplicate()));
    }

    /** To one of so many slices of the ranks: in a large job all at once would keep others waiting. */
    void heartbeat(int slice, int slices) {
        final int end = (int) ((slice + 1L) * nRanks / slices);
        for (int rank = (int) ((long) slice * nRanks / slices); rank < end; rank++) {
            if (ranks[rank] != null && ranks[rank].isPresent()) {
                ranks[rank].heartbeat();
            }
        }
    }

    /** Tells those that are here of all that have left since, at once: often all ranks leave at the same time. */
    private void tellLeft() {
        for (int first = leftSince.nextSetBit(0); first >= 0 && failure == null; ) {
            final int end = leftSince.nextClearBit(first);
            broadcast(new Message.Left(first, end - first));
            first = leftSince.nextSetBit(end);
        }
        leftSince.clear();
    }

    /** Ends what has taken too long: joining, rounds, and the silence of a rank. */
    void expire(long nowNs, long awakeNs, String flood) {
        present().filter(peer -> peer.isSilent(awakeNs)).forEach(peer -> lose(peer, "died: silent for "
                + Wording.millis(peer.silenceMillis()) + " (stopped, or its host or network is gone)"));
        present().forEach(peer -> {
            final String why = peer.whyGone(nowNs);
            if (!why.isEmpty()) {
                lose(peer, "died: " + why);
            }
        });
        if (failure != null) {
            return;
        }
        tellLeft();
        if (isComplete()) {
            gathers.expire(nowNs);
            barriers.expire(nowNs);
        } else if (joined > 0 && joinDeadlineNs - nowNs <= 0) {
            failJoin(flood);
        }
    }

    private void failJoin(String flood) {
        final int[] missing = IntStream.range(0, nRanks).filter(rank -> ranks[rank] == null).toArray();
        final int[] here = IntStream.range(0, nRanks).filter(rank -> ranks[rank] != null).toArray();
        fail(missing.length == 1 ? missing[0] : NO_RANK, ProxyResult.TIMEOUT, Wording.ranks(missing) + " of " + nRanks
                + " did not join within " + Wording.millis(joinMillis) + " (joined: " + Wording.list(here) + ")"
                + (flood.isEmpty() ? "" : "; " + flood));
    }

    /** Whether a root that closes has no rank to wait for: all have left, or the job has failed or not begun. */
    boolean isOver() {
        return failure != null || !isComplete() || left.cardinality() == nRanks;
    }

    /** The root closes; ranks that are still joined fail. */
    void rootCloses(String root) {
        final int[] here = present().mapToInt(Peer::rank).toArray();
        if (here.length > 0) {
            fail(NO_RANK, ProxyResult.REMOTE_ERROR, root + " is gone: it was closed while " + Wording.ranks(here)
                    + (here.length == 1 ? " was" : " were") + " still joined");
        }
    }
}
