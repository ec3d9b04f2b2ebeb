/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.cli.trace.Pairing.Pair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Puts all ranks on one clock. Those of a host have the same one, told by when it was 0, and need nothing but that. Of
 * two hosts each pair of ops says something: what was received has not ended before it began to be sent. What goes to
 * and fro, by whatever ways, leaves a span for how far one is ahead; its middle is taken.
 */
final class Clocks {
    /** A runtime looks at the time of day and at the clock one after the other, and may lose the CPU between. */
    private static final long SAME_NS = 20_000_000;
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final List<RankTrace> ranks;
    /** By rank; clock 0 is the one by which all are told. */
    private final int[] clockOf;
    private final List<Long> origins = new ArrayList<>();

    /**
     * How far a clock was ahead of the first one.
     *
     * @param ranks   that have it
     * @param aheadNs of the first; taken away from what they tell
     * @param errorNs by which that may be wrong to either side; negative if nothing is known of it
     */
    record Clock(List<Integer> ranks, long aheadNs, long errorNs) {
    }

    /**
     * Ranks by one clock.
     *
     * @param ranks  as they were given, moved
     * @param clocks that they had; the first one is that of the first rank
     */
    record Aligned(List<RankTrace> ranks, List<Clock> clocks) {
    }

    private Clocks(List<RankTrace> ranks) {
        this.ranks = ranks;
        this.clockOf = new int[ranks.size()];
        for (int i = 0; i < clockOf.length; i++) {
            clockOf[i] = clock(ranks.get(i));
        }
    }

    /** By hosts, and across hosts only if that is wanted. */
    static Aligned align(List<RankTrace> ranks, List<Pair> pairs, boolean isAcrossHosts) {
        return new Clocks(ranks).align(pairs, isAcrossHosts);
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

    private Aligned align(List<Pair> pairs, boolean isAcrossHosts) {
        int n = origins.size();
        long[][] bounds = bounds(isAcrossHosts ? pairs : List.of());
        long[] most = shortest(bounds, false);
        long[] least = shortest(bounds, true);
        List<Clock> clocks = new ArrayList<>();
        for (int clock = 0; clock < n; clock++) {
            int number = clock;
            clocks.add(clock(IntStream.range(0, clockOf.length).filter(i -> clockOf[i] == number).boxed().toList(),
                    most[clock], least[clock]));
        }
        List<RankTrace> moved = new ArrayList<>();
        for (int i = 0; i < ranks.size(); i++) {
            moved.add(ranks.get(i).shifted(onClock(ranks.get(i), clockOf[i]) - clocks.get(clockOf[i]).aheadNs));
        }
        return new Aligned(moved, clocks);
    }

    /** As the time of day has it, if nothing is known, or as near to that as can be. */
    private static Clock clock(List<Integer> ranks, long mostNs, long lessNs) {
        if (mostNs != UNKNOWN && lessNs != UNKNOWN) {
            return new Clock(ranks, (mostNs - lessNs) / 2, Math.abs(mostNs + lessNs) / 2);
        }
        return new Clock(ranks, mostNs != UNKNOWN ? Math.min(0, mostNs) : lessNs != UNKNOWN ? Math.max(0, -lessNs) : 0,
                -1);
    }

    private long onClock(RankTrace rank, int clock) {
        return origins.get(clock) - rank.originNs();
    }

    /** By how much the clock of the second may be ahead of the first's at most. */
    private long[][] bounds(List<Pair> pairs) {
        long[][] bounds = new long[origins.size()][origins.size()];
        for (long[] row : bounds) {
            Arrays.fill(row, UNKNOWN);
        }
        for (Pair pair : pairs) {
            int from = clockOf[pair.from()];
            int to = clockOf[pair.to()];
            if (from != to && !pair.send().isCut() && pair.recv().state() == OpSpan.State.DONE) {
                long sentNs = pair.send().startNs() + onClock(ranks.get(pair.from()), from);
                long receivedNs = pair.recv().endNs() + onClock(ranks.get(pair.to()), to);
                bounds[from][to] = Math.min(bounds[from][to], receivedNs - sentNs);
            }
        }
        return bounds;
    }

    /** Bellman and Ford's ways from the first clock to each, or back. */
    private static long[] shortest(long[][] bounds, boolean isBack) {
        int n = bounds.length;
        long[] distance = new long[n];
        Arrays.fill(distance, UNKNOWN);
        distance[0] = 0;
        boolean hasChanged = true;
        for (int round = 1; round < n && hasChanged; round++) {
            hasChanged = false;
            for (int from = 0; from < n; from++) {
                for (int to = 0; to < n; to++) {
                    long known = distance[isBack ? to : from];
                    int next = isBack ? from : to;
                    if (bounds[from][to] != UNKNOWN && known != UNKNOWN && known + bounds[from][to] < distance[next]) {
                        distance[next] = known + bounds[from][to];
                        hasChanged = true;
                    }
                }
            }
        }
        return distance;
    }
}
