/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.event.Level;

/**
 * How answers of all-gathers leave the root: to all ranks, but not to those that another rank passes answers on to.
 * They confirm what they got, and what they have not confirmed in time the root sends them after all, then and from
 * then on. Confined to the root's thread.
 */
final class Answers {
    /** How long answers may take by way of other ranks, and how much longer for each rank whose word the root hears. */
    static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long PATIENCE_NS_A_RANK = TimeUnit.MICROSECONDS.toNanos(50);
    /** How many are kept for ranks that do not confirm. */
    static final int MAX_KEPT = 4;

    private final Rounds.Sink sink;
    private final long patienceNs;
    private final BitSet direct = new BitSet();
    private final BitSet others = new BitSet();
    private final TreeMap<Long, Answer> kept = new TreeMap<>();

    Answers(int nRanks, Rounds.Sink sink) {
        this.sink = sink;
        this.patienceNs = PATIENCE_NS + nRanks * PATIENCE_NS_A_RANK;
        direct.set(0, nRanks);
    }

    /** How long answers may take by way of other ranks of this job. */
    long patienceNs() {
        return patienceNs;
    }

    /** One that not all have confirmed. */
    private record Answer(List<ByteBuffer> frames, BitSet missing, long untilNs) {
    }

    /** From now on these get answers of another rank, but for those that have left. */
    void passedOn(BitSet ranks) {
        final BitSet here = (BitSet) ranks.clone();
        here.and(direct);
        direct.andNot(here);
        others.or(here);
    }

    void send(long sequence, List<ByteBuffer> frames, long nowNs) {
        send(direct, frames);
        if (!others.isEmpty()) {
            kept.put(sequence, new Answer(frames, (BitSet) others.clone(), nowNs + patienceNs));
        }
        while (kept.size() > MAX_KEPT) {
            giveUpOldest(Level.INFO);
        }
    }

    private void send(BitSet ranks, List<ByteBuffer> frames) {
        ranks.stream().forEach(rank -> frames.forEach(frame -> sink.send(rank, frame.duplicate())));
    }

    /** This rank has an answer, from wherever. */
    void got(int rank, long sequence) {
        final Answer answer = kept.get(sequence);
        if (answer != null) {
            answer.missing.clear(rank);
            if (answer.missing.isEmpty()) {
                kept.remove(sequence);
            }
        }
    }

    void expire(long nowNs) {
        while (!kept.isEmpty() && kept.firstEntry().getValue().untilNs - nowNs <= 0) {
            giveUpOldest(Level.INFO);
        }
    }

    /** This rank needs no answers any more, and passes none on; the few that still come the root sends to all. */
    void left(int rank) {
        direct.clear(rank);
        others.clear(rank);
        kept.values().forEach(answer -> answer.missing.clear(rank));
        settle();
        direct.or(others);
        others.clear();
    }

    /** Ranks that have not confirmed what they were to get get it now. */
    void settle() {
        while (!kept.isEmpty()) {
            giveUpOldest(Level.DEBUG);
        }
    }

    /** Ranks that have not confirmed it get it and all behind it, in their order. */
    private void giveUpOldest(Level level) {
        final Answer oldest = kept.pollFirstEntry().getValue();
        if (oldest.missing.isEmpty()) {
            return;
        }
        BootstrapRoot.LOG.atLevel(level).log("{} did not confirm an answer that goes by way of other ranks: the root "
                + "sends it", Wording.ranks(oldest.missing.stream().toArray()));
        others.andNot(oldest.missing);
        direct.or(oldest.missing);
        send(oldest.missing, oldest.frames);
        for (final Answer later : kept.values()) {
            final BitSet late = (BitSet) later.missing.clone();
            late.and(oldest.missing);
            send(late, later.frames);
            later.missing.andNot(late);
        }
        kept.values().removeIf(answer -> answer.missing.isEmpty());
    }

    /** How many answers are kept. */
    int kept() {
        return kept.size();
    }
}
