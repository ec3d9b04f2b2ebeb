/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/** Some ranks of a job, which talk by messages of its bootstrap. */
final class SubGroup implements RankGroup {
    private final GroupMail mail;
    private final GroupMail.Id id;
    private final String name;
    private final GroupBox box;
    private final int[] jobRanks;
    private final int rank;
    private final StarRounds gathers;
    private final StarRounds barriers;

    /**
     * Joins; messages of the others may be there already.
     *
     * @param jobRanks by the numbers of this group; the bootstrap's rank is one of them
     */
    SubGroup(GroupMail mail, GroupMail.Id id, String name, int... jobRanks) {
        this.mail = mail;
        this.id = id;
        this.name = name;
        this.jobRanks = jobRanks;
        this.rank = number(mail.bootstrap().rank());
        final BitSet members = new BitSet();
        Arrays.stream(jobRanks).forEach(members::set);
        this.box = mail.open(id, members, this::describe);
        this.gathers = rounds(RoundKind.ALL_GATHER, StarRounds.GATHER_TAG);
        this.barriers = rounds(RoundKind.BARRIER, StarRounds.BARRIER_TAG);
    }

    private StarRounds rounds(RoundKind kind, int tag) {
        return new StarRounds(this, kind, tag, IntStream.range(0, jobRanks.length).toArray(), name,
                mail.bootstrap().maxBlobBytes() - GroupMail.HEAD_BYTES);
    }

    /** Its number in this group; -1 if it is not one of them. */
    private int number(int jobRank) {
        for (int i = 0; i < jobRanks.length; i++) {
            if (jobRanks[i] == jobRank) {
                return i;
            }
        }
        return -1;
    }

    private String describe(int jobRank) {
        return "rank " + number(jobRank) + " of " + name + " (rank " + jobRank + " of the job)";
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int nRanks() {
        return jobRanks.length;
    }

    @Override
    public int jobRank(int member) {
        Bootstrap.requireRank(member, jobRanks.length);
        return jobRanks[member];
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[][] allGather(byte[] mine, Duration timeout) {
        GroupMail.requireFits(mine, gathers.maxBlobBytes());
        mail.bootstrap().requireOtherThread();
        return gathers.round(mine, timeout);
    }

    @Override
    public void barrier(Duration timeout) {
        mail.bootstrap().requireOtherThread();
        barriers.round(MessageCodec.NOTHING, timeout);
    }

    @Override
    public void send(int peer, int tag, byte[] blob) {
        final int jobRank = jobRank(peer);
        box.inbox().requireOpen(jobRank);
        GroupMail.requireFits(blob, mail.bootstrap().maxBlobBytes());
        mail.send(id, jobRank, tag, blob);
    }

    @Override
    public byte[] receive(int peer, int tag, Duration timeout, LongConsumer onWait) {
        final int jobRank = jobRank(peer);
        mail.bootstrap().requireOtherThread();
        return mail.bootstrap().take(box.inbox(), jobRank, tag, timeout, waitedNs -> {
            requireNoFailure();
            onWait.accept(waitedNs);
        });
    }

    /** This rank's own abort is not told to those who wait here. */
    private void requireNoFailure() {
        mail.bootstrap().failure().ifPresent(e -> {
            throw Bootstrap.thrownHere(e);
        });
    }

    /** The listener hears of ranks by their numbers in this group. */
    @Override
    public void listen(int tag, BiConsumer<Integer, byte[]> listener) {
        box.listen(tag, (jobRank, blob) -> {
            final int peer = number(jobRank);
            if (peer >= 0) {
                listener.accept(peer, blob);
            }
        });
    }

    @Override
    public void onFailure(Consumer<ProxyException> listener) {
        box.failure().onFailure(listener);
        mail.bootstrap().failure().ifPresent(box::fail);
    }

    @Override
    public Optional<ProxyException> failure() {
        return mail.bootstrap().failure();
    }

    @Override
    public ProxyException verdict(ProxyException local) {
        return Verdict.of(mail.bootstrap(), self() + ": ", local);
    }

    @Override
    public boolean isAnyGone() {
        return box.inbox().isAnyGone() || mail.bootstrap().isAnyGone();
    }

    @Override
    public void abort(String reason) {
        mail.bootstrap().abort(reason);
    }

    /** Says so to the others, and takes no more mail. Idempotent; does not block. */
    void leave() {
        if (box.isClosed()) {
            return;
        }
        for (int jobRank : jobRanks) {
            if (jobRank != mail.bootstrap().rank()) {
                tellLeaving(jobRank);
            }
        }
        if (box.close(mail.bootstrap().rank(),
                new ProxyException(ProxyResult.INVALID_USAGE, "rank " + rank + " has left " + name))) {
            mail.forget(id);
        }
    }

    /** Who is gone himself, or whose job has failed, need not know. */
    private void tellLeaving(int jobRank) {
        try {
            mail.leave(id, jobRank);
        } catch (ProxyException e) {
            box.left(jobRank);
            BootstrapRoot.LOG.debug("{}: rank {} of the job is not told that this one leaves: {}", self(), jobRank,
                    e.getMessage());
        }
    }

    @Override
    public boolean isWhole() {
        return false;
    }

    @Override
    public String self() {
        return "rank " + mail.bootstrap().rank() + ", " + rank + " of " + name;
    }
}
