/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Results;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongPredicate;

/** The goals of the NET transport, held against the medians of a run. */
final class NetGoals {
    private static final double ROUND_TRIP_BOUND = 1.25;
    private static final double MANUAL_BOUND = 0.9;
    private static final double SMALL_BOUND = 1.5;
    private static final long SMALL_BYTES = 32L << 10;
    private static final String SMALLEST = "8";

    private final Results results;
    private final List<Goal> goals = new ArrayList<>();

    NetGoals(Results results) {
        this.results = results;
    }

    /** Sizes in bytes, the least first. */
    static List<String> bySize(List<String> sizes) {
        return sizes.stream().sorted(Comparator.comparingLong(Long::parseLong)).toList();
    }

    /** Ours over a peer's; NaN if one is missing. */
    static double ratio(Results results, String experiment, String size, String metric, String peer) {
        return results.stat(experiment, size, NetPlan.OURS, metric).median()
                / results.stat(experiment, size, peer, metric).median();
    }

    List<Goal> judge() {
        double roundTrip = ratio(results, NetPlan.ROUND_TRIP, SMALLEST, "rtt_p50", NetPlan.C);
        goals.add(Goal.atMost("8 bytes there and back: p50 at most 1.25 × that of spinning C", ROUND_TRIP_BOUND,
                roundTrip, Figures.format(roundTrip) + " ×"));
        worst("one way, 64 KiB to 64 MiB: at least the rate of C's chunked stream at each size", NetPlan.STREAM,
                "gbs", NetPlan.C, 1, true, size -> true);
        manual();
        for (int ranks : NetPlan.RANKS) {
            String experiment = NetPlan.allReduce(ranks);
            for (String peer : List.of(NetPlan.MPI, NetPlan.GLOO)) {
                worst(experiment + ", from 32 KiB on: no slower than " + peer + " at each size", experiment, "out_us",
                        peer, 1, false, size -> size >= SMALL_BYTES);
            }
            worst(experiment + ", below 32 KiB: at most 1.5 × the time of " + NetPlan.MPI + " at each size",
                    experiment, "out_us", NetPlan.MPI, SMALL_BOUND, false, size -> size < SMALL_BYTES);
        }
        return goals;
    }

    private void manual() {
        double worst = Double.NaN;
        String measured = "";
        for (String size : results.scenarios(NetPlan.STREAM)) {
            double best = 0;
            String setting = "";
            for (String contender : NetPlan.manual()) {
                double rate = results.stat(NetPlan.STREAM, size, contender, "gbs").median();
                if (rate > best) {
                    best = rate;
                    setting = contender;
                }
            }
            double ratio = results.stat(NetPlan.STREAM, size, NetPlan.OURS, "gbs").median() / best;
            if (best > 0 && !Double.isNaN(ratio) && !(ratio >= worst)) {
                worst = ratio;
                measured = "at worst " + Figures.format(ratio) + " × " + setting + ", at " + NetTables.size(size);
            }
        }
        goals.add(Goal.atLeast("one way: automatic sockets and threads at least 0.9 × the best setting by hand",
                MANUAL_BOUND, worst, measured));
    }

    /** Judges the size at which ours compares worst. */
    private void worst(String goal, String experiment, String metric, String peer, double bound, boolean isMoreBetter,
            LongPredicate sizes) {
        double worst = Double.NaN;
        String where = "";
        for (String size : bySize(results.scenarios(experiment))) {
            double ratio = ratio(results, experiment, size, metric, peer);
            boolean isWorse = Double.isNaN(worst) || (isMoreBetter ? ratio < worst : ratio > worst);
            if (sizes.test(Long.parseLong(size)) && !Double.isNaN(ratio) && isWorse) {
                worst = ratio;
                where = size;
            }
        }
        String measured = where.isEmpty() ? ""
                : "at worst " + Figures.format(worst) + " ×, at " + NetTables.size(where);
        goals.add(isMoreBetter ? Goal.atLeast(goal, bound, worst, measured)
                : Goal.atMost(goal, bound, worst, measured));
    }
}
