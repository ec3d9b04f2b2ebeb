/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.cli.trace.JobTrace.Pair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Puts all ranks on one clock. Those of a host have the same one, told by when it was 0, and need nothing but that. Of
 * two hosts each pair of ops says something: what was received has not ended before it began to be sent. What goes to
 * and fro, by whatever ways, leaves a span for how far one is ahead; its middle is taken. Of clocks that something
 * joins the first is the one by which the others are told; it stays as it is.
 */
final class Clocks {
    /** A runtime looks at the time of day and at the clock one after the other, and may lose the CPU between. */
    private static final long SAME_NS = 20_000_000;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final List<RankTrace> ranks;
    /** By rank. */
    private final int[] clockOf;
    private final List<Long> origins = new ArrayList<>();
    /** By how much the clock of the second may be ahead of the first's at most. */
    private final Map<Way, Long> bounds = new LinkedHashMap<>();

    /** What is known of how far a clock is ahead. */
    enum Knowledge {
        /** Others are told by it. */
        REFERENCE,
        /** Something goes to and fro. */
        SPAN,
        /** Nothing goes to and fro. */
        TOO_LITTLE,
        /** Something ended before it began, whatever is taken. */
        CONTRADICTION
    }

    /**
     * How far a clock was ahead of another one.
     *
     * @param ranks     that have it
     * @param reference the number of the clock by which it is told
     * @param knowledge of that
     * @param aheadNs   taken away from what its ranks tell
     * @param errorNs   of a span, by which it may be wrong to either side; of a contradiction, by how much; or 0
     */
    record Clock(List<Integer> ranks, int reference, Knowledge knowledge, long aheadNs, long errorNs) {
    }

    /**
     * Ranks by one clock.
     *
     * @param ranks  as they were given, moved
     * @param clocks that they had; the first one is that of the first rank
     */
    record Aligned(List<RankTrace> ranks, List<Clock> clocks) {
    }

    private record Way(int from, int to) {
    }

    private Clocks(List<RankTrace> ranks) {
        this.ranks = ranks;
        this.clockOf = new int[ranks.size()];
        for (int i = 0; i < clockOf.length; i++) {
            clockOf[i] = clock(ranks.get(i));
        }
    }

    /** By hosts, and by what was sent across hosts, if there is any. */
    static Aligned align(List<RankTrace> ranks, List<Pair> pairs) {
        return new Clocks(ranks).align(pairs);
    }

    private int clock(RankTrace rank) {
        for (int clock = 0; clock < origins.size(); clock++) {
            if (Math.abs(origins.get(clock) - rank.originNs()) <= SAME_NS) {
                return clock;
            }
        }
        origins.add(rank.originNs());
        return origins.size() - 1;
    }

    private Aligned align(List<Pair> pairs) {
        pairs.forEach(this::bound);
        int[] references = references();
        long[] most = shortest(references, false);
        long[] less = shortest(references, true);
        List<Clock> clocks = new ArrayList<>();
        for (int clock = 0; clock < references.length; clock++) {
            int number = clock;
            List<Integer> ofClock = IntStream.range(0, clockOf.length).filter(i -> clockOf[i] == number).boxed()
                    .toList();
            clocks.add(references[clock] == clock ? new Clock(ofClock, clock, Knowledge.REFERENCE, 0, 0)
                    : clock(ofClock, references[clock], most[clock], less[clock]));
        }
        List<RankTrace> moved = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            moved.add(ranks.get(i).shifted(onClock(i) - clocks.get(clockOf[i]).aheadNs));
        }
        return new Aligned(moved, clocks);
    }

    /** As the time of day has it, if nothing is known, or as near to that as can be. */
    private static Clock clock(List<Integer> ranks, int reference, long mostNs, long lessNs) {
        if (mostNs == UNKNOWN || lessNs == UNKNOWN) {
            long aheadNs = mostNs != UNKNOWN ? Math.min(0, mostNs) : lessNs != UNKNOWN ? Math.max(0, -lessNs) : 0;
            return new Clock(ranks, reference, Knowledge.TOO_LITTLE, aheadNs, 0);
        }
        long spanNs = mostNs + lessNs;
        return new Clock(ranks, reference, spanNs < 0 ? Knowledge.CONTRADICTION : Knowledge.SPAN,
                (mostNs - lessNs) / 2, spanNs < 0 ? -spanNs : spanNs / 2);
    }

    private long onClock(int rank) {
        return origins.get(clockOf[rank]) - ranks.get(rank).originNs();
    }

    private void bound(Pair pair) {
        Way way = new Way(clockOf[pair.from()], clockOf[pair.to()]);
        OpSpan send = pair.sendOf(ranks);
        OpSpan recv = pair.recvOf(ranks);
        if (way.from != way.to && !send.isCut() && recv.state() == OpSpan.State.DONE) {
            long sentNs = send.startNs() + onClock(pair.from());
            long receivedNs = recv.endNs() + onClock(pair.to());
            bounds.merge(way, Nanos.limited(receivedNs - sentNs), Math::min);
        }
    }

    /** The first clock of all that something joins, whichever way it went, by clock. */
    private int[] references() {
        int[] first = IntStream.range(0, origins.size()).toArray();
        boolean hasChanged = true;
        while (hasChanged) {
            hasChanged = false;
            for (Way way : bounds.keySet()) {
                hasChanged |= first[way.from] != first[way.to];
                first[way.from] = Math.min(first[way.from], first[way.to]);
                first[way.to] = first[way.from];
            }
        }
        return first;
    }

    /** Bellman and Ford's ways from its reference to each clock, or back. A contradiction moves no reference. */
    private long[] shortest(int[] references, boolean isBack) {
        long[] distance = new long[references.length];
        Arrays.setAll(distance, clock -> references[clock] == clock ? 0 : UNKNOWN);
        boolean hasChanged = true;
        for (int round = 1; round < distance.length && hasChanged; round++) {
            hasChanged = false;
            for (Map.Entry<Way, Long> bound : bounds.entrySet()) {
                long known = distance[isBack ? bound.getKey().to : bound.getKey().from];
                int next = isBack ? bound.getKey().from : bound.getKey().to;
                long by = known == UNKNOWN ? UNKNOWN : Nanos.limited(known + bound.getValue());
                if (by < distance[next] && references[next] != next) {
                    distance[next] = by;
                    hasChanged = true;
                }
            }
        }
        return distance;
    }
}
