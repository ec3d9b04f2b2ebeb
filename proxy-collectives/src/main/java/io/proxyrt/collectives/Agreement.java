/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.RankGroup;
import io.proxyrt.collectives.RankReport.At;
import io.proxyrt.collectives.kernel.OpWord;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.counters.EventRing;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.diagnosis.Diagnosis;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.slf4j.Logger;

/**
 * Finds out that ranks were asked for different things, and says which. This rank notes what it is asked for; when it
 * gets no further, or its kernels found data of another operation, it tells others, whose bootstrap threads compare
 * that with their own notes, also while their callers do something else. The rank that finds a difference tells all
 * ranks the same text, and ends the job.
 *
 * <p>Ranks that are merely late are no difference: only what both were asked for is compared. The caller's thread, but
 * for what comes by the group.
 */
final class Agreement implements StallWatch.Notes {
    /** No tag of connect infos. */
    private static final int TAG = -1;
    private static final byte VERDICT = 2;
    private static final int LAUNCHES = 128;
    private static final int LAUNCH_MASK = LAUNCHES - 1;
    /** How many share a look at the clock, as long as none of them waits. */
    private static final int CALLS_A_LOOK = 16;
    private static final int NO_PEER = -1;
    private static final int MANY_PEERS = -2;
    private static final long TELL_NS = Duration.ofMillis(500).toNanos();
    /** What is there is taken for a standstill after so long: until then it may be a busy machine. */
    private static final long STANDSTILL_NS = Duration.ofSeconds(3).toNanos();
    private static final long ANSWER_NS = Duration.ofSeconds(1).toNanos();
    private static final long POLL_NS = 1_000_000;
    private static final Logger LOG = Subsystem.COLL.logger();

    private final RankGroup group;
    private final int rank;
    private final int nRanks;
    private final String ranks;
    private final String job;
    private final Consumer<ProxyException> onFailure;
    private final OpLog collectives = new OpLog(RankReport.COLLECTIVES);
    private final AtomicReferenceArray<OpLog> sends;
    private final AtomicReferenceArray<OpLog> recvs;
    private final AtomicReferenceArray<RankReport> reports;
    private final AtomicReference<ProxyException> verdict = new AtomicReference<>();
    /** By launch: the number of its collective, or 0 and the peers of its messages. */
    private final long[] launchedCollectives = new long[LAUNCHES];
    private final int[] launchedSends = new int[LAUNCHES];
    private final int[] launchedRecvs = new int[LAUNCHES];
    private EventRing ring = EventRing.FORGETFUL;
    /** When the clock was last looked at, and how many calls have been noted since. */
    private long clockNs;
    private int callsSinceLook = CALLS_A_LOOK;
    private long lastLaunched;
    private int ringPrev;
    private int ringNext;
    private long launches;
    private long toldLaunch = -1;
    private long toldNs;
    private long comparedNs;

    /** Joins what the ranks tell each other; the listener hears of it if they differ, or a rank fails. Any thread. */
    Agreement(RankGroup group, String job, Consumer<ProxyException> onFailure) {
        this.group = group;
        this.job = job;
        this.rank = group.rank();
        this.nRanks = group.nRanks();
        this.ranks = group.isWhole() ? "the ranks" : "the ranks of " + group.name();
        this.onFailure = onFailure;
        this.sends = new AtomicReferenceArray<>(nRanks);
        this.recvs = new AtomicReferenceArray<>(nRanks);
        this.reports = new AtomicReferenceArray<>(nRanks);
        this.ringPrev = rank;
        this.ringNext = rank;
        Arrays.fill(launchedSends, NO_PEER);
        Arrays.fill(launchedRecvs, NO_PEER);
        group.onFailure(onFailure);
        group.listen(TAG, this::hear);
    }

    /** Says whom this rank has to do with in every collective by rings; before the first. */
    void neighbours(int prev, int next) {
        ringPrev = prev;
        ringNext = next;
    }

    /** Also leaves what is asked for where others can see it; before the first. */
    void leave(EventRing trail) {
        ring = trail;
    }

    /** Notes all that was asked for, also what has no data; before anything that may wait. */
    void note(CallGroup calls) {
        long now = calls.noted() == 1 && calls.messages() == 0 ? aboutNow() : clock();
        for (int i = 0; i < calls.noted(); i++) {
            collectives.add(calls.word(i), calls.bytes(i));
            ring.called(now, collectives.last(), calls.word(i), calls.bytes(i), EventRing.NO_PEER);
        }
        int to = NO_PEER;
        int from = NO_PEER;
        for (int i = 0; i < calls.messages(); i++) {
            Message message = calls.message(i);
            if (message.isCompared && message.peer != rank) {
                log(message.isSend ? sends : recvs, message.peer).add(OpWord.MESSAGE, message.part.bytes());
                ring.called(now, 0, OpWord.MESSAGE, message.part.bytes(), message.peer);
            }
            if (message.isSend) {
                to = to == NO_PEER || to == message.peer ? message.peer : MANY_PEERS;
            } else {
                from = from == NO_PEER || from == message.peer ? message.peer : MANY_PEERS;
            }
        }
        next(calls.noted() == 0 ? 0 : collectives.last(), to, from);
    }

    /** Now, or when one of the last calls was: a look at the clock takes a tenth of a small call's time. */
    private long aboutNow() {
        callsSinceLook++;
        return callsSinceLook < CALLS_A_LOOK ? clockNs : clock();
    }

    private long clock() {
        callsSinceLook = 0;
        clockNs = System.nanoTime();
        return clockNs;
    }

    /** What was noted last waits, since then: so it need not be known of what does not. */
    void waits(long sinceNs) {
        if (callsSinceLook != 0) {
            callsSinceLook = 0;
            clockNs = sinceNs;
            ring.timed(sinceNs);
        }
    }

    @Override
    public void standing(long ms) {
        ring.add(EventType.WAITS, 0, 0, ms);
    }

    @Override
    public void resumed(long ms) {
        ring.add(EventType.RESUMED, 0, 0, ms);
    }

    @Override
    public void stuck(Diagnosis found, long ms) {
        int culprit = found.culprits().getFirst();
        ring.add(System.nanoTime(), EventType.STUCK, found.reason().ordinal(), 0, 0, 0, culprit, ms);
        CallRecording.stuck(group, job, found, ms);
    }

    /** Number of the collective that was noted last. */
    long called() {
        return collectives.last();
    }

    /** Notes that all-reduces of the group are carried out as one. */
    void fused(long word, int pieces, long bytes) {
        collectives.add(OpWord.fused(word, pieces), bytes);
    }

    /** The collective that was noted last is launched once more, in another way. */
    void again() {
        next(collectives.last(), NO_PEER, NO_PEER);
    }

    /** What was noted last is launched; should it take another launch, that has the same. */
    void launched() {
        int last = (int) launches & LAUNCH_MASK;
        launches++;
        lastLaunched = Math.max(lastLaunched, launchedCollectives[last]);
        next(launchedCollectives[last], launchedSends[last], launchedRecvs[last]);
    }

    /** All that was launched has ended. */
    void finished() {
        ring.finished(lastLaunched);
    }

    private void next(long collective, int sendPeer, int recvPeer) {
        int next = (int) launches & LAUNCH_MASK;
        launchedCollectives[next] = collective;
        launchedSends[next] = sendPeer;
        launchedRecvs[next] = recvPeer;
    }

    private static OpLog log(AtomicReferenceArray<OpLog> logs, int peer) {
        OpLog log = logs.get(peer);
        if (log == null) {
            log = new OpLog(RankReport.MESSAGES);
            logs.set(peer, log);
        }
        return log;
    }

    /**
     * Nothing has moved for a while. Without outstanding launches, what was noted last waits for ranks to
     * connect. Tells the neighbours and whom this rank waits for, and looks at what others have told.
     */
    void standsStill(long outstanding, long standstillNs) {
        if (standstillNs < TELL_NS || nRanks == 1 || verdict.get() != null) {
            return;
        }
        long launch = launches - outstanding;
        boolean isLong = standstillNs >= STANDSTILL_NS;
        if (launch != toldLaunch || isLong && toldNs < STANDSTILL_NS) {
            toldLaunch = launch;
            toldNs = standstillNs;
            tell(concerned(launch), launch, isLong);
        }
        if (standstillNs - comparedNs >= TELL_NS || standstillNs < comparedNs) {
            comparedNs = standstillNs;
            compareAll(launch, isLong);
        }
    }

    private BitSet concerned(long launch) {
        BitSet peers = new BitSet(nRanks);
        peers.set(ringNext);
        peers.set(ringPrev);
        int place = (int) launch & LAUNCH_MASK;
        set(peers, launchedSends[place]);
        set(peers, launchedRecvs[place]);
        peers.clear(rank);
        return peers;
    }

    private void set(BitSet peers, int peer) {
        if (peer >= 0) {
            peers.set(peer);
        } else if (peer == MANY_PEERS) {
            peers.set(0, nRanks);
        }
    }

    private void tell(BitSet peers, long launch, boolean isLong) {
        long collective = launchedCollectives[(int) launch & LAUNCH_MASK];
        for (int peer = peers.nextSetBit(0); peer >= 0; peer = peers.nextSetBit(peer + 1)) {
            At at = !isLong ? At.UNKNOWN : collective > 0 ? At.COLLECTIVE
                    : isAtMessageWith(launch, peer) ? At.MESSAGE : At.UNKNOWN;
            tell(peer, new RankReport(at, collective, collectives, log(sends, peer), log(recvs, peer)).encode());
        }
    }

    /** Whether messages with this peer, and no other, are what a launch has. */
    private boolean isAtMessageWith(long launch, int peer) {
        int place = (int) launch & LAUNCH_MASK;
        int to = launchedSends[place];
        int from = launchedRecvs[place];
        return (to == peer || from == peer) && (to == peer || to == NO_PEER) && (from == peer || from == NO_PEER);
    }

    private void tell(int peer, byte[] blob) {
        try {
            group.send(peer, TAG, blob);
        } catch (ProxyException e) {
            LOG.debug("rank {} cannot tell rank {} what it was asked for: {}", rank, peer, e.getMessage());
        }
    }

    /** The bootstrap's thread. */
    private void hear(int peer, byte[] blob) {
        ByteBuffer in = ByteBuffer.wrap(blob);
        try {
            byte kind = in.get();
            if (kind == VERDICT) {
                settle(new String(blob, 1, blob.length - 1, StandardCharsets.UTF_8));
            } else if (kind == RankReport.KIND) {
                RankReport report = RankReport.decode(in);
                reports.set(peer, report);
                compare(peer, report);
            }
        } catch (BufferUnderflowException | IllegalArgumentException e) {
            LOG.warn("rank {} told rank {} nonsense of what it was asked for: {}", peer, rank, e.toString());
        }
    }

    private void compareAll(long launch, boolean isLong) {
        for (int peer = 0; peer < nRanks; peer++) {
            RankReport report = reports.get(peer);
            if (report != null) {
                compare(peer, report);
                if (isLong) {
                    compareKinds(launch, peer, report);
                }
            }
        }
    }

    private void compare(int peer, RankReport report) {
        long collective = collectives.firstDifference(report.collectives());
        if (collective > 0) {
            OpLog low = rank < peer ? collectives : report.collectives();
            OpLog high = rank < peer ? report.collectives() : collectives;
            decide(ranks + " disagree: collective " + collective + " is " + low.describe(collective) + " at rank "
                    + Math.min(rank, peer) + ", and " + high.describe(collective) + " at rank " + Math.max(rank, peer));
        }
        compareMessages(peer, rank, report.sends(), recvs.get(peer));
        compareMessages(rank, peer, sends.get(peer), report.recvs());
    }

    private void compareMessages(int from, int to, OpLog sent, OpLog received) {
        long message = sent == null || received == null ? 0 : sent.firstDifference(received);
        if (message > 0) {
            decide(ranks + " disagree: rank " + from + " sends " + sent.bytes(message) + " bytes to rank " + to
                    + ", which receives " + received.bytes(message) + " (message " + message + " of this way)");
        }
    }

    /**
     * A rank at a collective that needs all ranks, another at a message with it, and neither was asked yet for what the
     * other is at: streams keep their order, so neither gets there.
     */
    private void compareKinds(long launch, int peer, RankReport report) {
        long collective = launchedCollectives[(int) launch & LAUNCH_MASK];
        OpLog sent = log(sends, peer);
        OpLog received = log(recvs, peer);
        boolean isAwaited = report.sends().last() > received.last() || report.recvs().last() > sent.last();
        boolean isAwaiting = sent.last() > report.recvs().last() || received.last() > report.sends().last();
        if (collective == 0 && isAwaiting && isAtMessageWith(launch, peer) && report.needsAllRanks()
                && collectives.last() < report.collective()) {
            decideKinds(peer, report.collectives(), report.collective(), rank);
        } else if (collective > 0 && isAwaited && report.at() == At.MESSAGE
                && RankReport.needsAllRanks(collectives, collective) && report.collectives().last() < collective) {
            decideKinds(rank, collectives, collective, peer);
        }
    }

    private void decideKinds(int atCollective, OpLog log, long collective, int atMessage) {
        decide(ranks + " disagree: rank " + atCollective + " is at collective " + collective + ", "
                + log.describe(collective) + ", and rank " + atMessage + " at a message with rank " + atCollective
                + "; neither can go on");
    }

    /** Any thread: tells all ranks, and ends the job. */
    private void decide(String text) {
        if (!settle(text)) {
            return;
        }
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        byte[] blob = ByteBuffer.allocate(1 + utf8.length).put(VERDICT).put(utf8).array();
        for (int peer = 0; peer < nRanks; peer++) {
            if (peer != rank) {
                tell(peer, blob);
            }
        }
        group.abort(text);
    }

    private boolean settle(String text) {
        ProxyException disagreement = new ProxyException(ProxyResult.INVALID_USAGE, text);
        if (!verdict.compareAndSet(null, disagreement)) {
            return false;
        }
        onFailure.accept(disagreement);
        return true;
    }

    /** Waits for all ranks; if they turn out to disagree, that is what has failed. */
    void barrier(Duration timeout) {
        try {
            group.barrier(timeout);
        } catch (ProxyException e) {
            throw verdict.get() == null ? e : named(e);
        }
    }

    /**
     * Why the job has failed, as this rank's caller is told: what a kernel or a network takes for wrong may be another
     * rank's way to do something else, which is asked for first.
     */
    ProxyException judge(ProxyException local) {
        if (local.result() == ProxyResult.INVALID_USAGE) {
            ask();
        }
        ProxyException judged = verdict.get() == null ? group.verdict(local) : null;
        return verdict.get() == null ? judged : named(local);
    }

    private ProxyException named(ProxyException local) {
        ProxyException disagreement = verdict.get();
        return new ProxyException(disagreement.result(), group.self() + ": " + disagreement.getMessage(), local);
    }

    /** Tells all ranks, and waits a moment for one that was asked for something else. */
    private void ask() {
        BitSet all = new BitSet(nRanks);
        all.set(0, nRanks);
        all.clear(rank);
        if (verdict.get() == null) {
            tell(all, launches, false);
        }
        long begin = System.nanoTime();
        while (verdict.get() == null && nRanks > 1 && group.failure().isEmpty()
                && System.nanoTime() - begin < ANSWER_NS) {
            Uninterruptibly.parkNanos(POLL_NS);
        }
    }

    /** What others have told of where they stand still, for a time limit that is over; empty if they told nothing. */
    String others() {
        StringBuilder text = new StringBuilder();
        for (int peer = 0; peer < nRanks; peer++) {
            RankReport report = reports.get(peer);
            if (report != null && report.at() != At.UNKNOWN) {
                text.append("; rank ").append(peer).append(" stood still at ")
                        .append(report.at() == At.MESSAGE ? "a message with this rank"
                                : "collective " + report.collective());
            }
        }
        return text.toString();
    }
}
