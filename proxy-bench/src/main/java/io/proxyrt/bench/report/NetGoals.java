/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Results;
import java.util.List;

/** The goals of the NET transport, held against a run. */
final class NetGoals extends SizeGoals {
    private static final double ROUND_TRIP_BOUND = 1.25;
    private static final double MANUAL_BOUND = 0.9;
    private static final double SMALL_BOUND = 1.5;
    private static final long SMALL_BYTES = 32L << 10;
    private static final String SMALLEST = "8";

    NetGoals(Results results) {
        super(results);
    }

    @Override
    List<Goal> judge() {
        atMost("8 bytes there and back: p50 at most 1.25 × that of spinning C", ROUND_TRIP_BOUND,
                ratio(NetPlan.ROUND_TRIP, SMALLEST, "rtt_p50", NetPlan.OURS, NetPlan.C), "×");
        atLeast("one way, 64 KiB to 64 MiB: at least the rate of C's chunked stream at each size", 1,
                worst(NetPlan.STREAM, "gbs", NetPlan.OURS, NetPlan.C, true, size -> true));
        atLeast("one way: at least the rate of C's stream that nobody paces, as ours, at each size", 1,
                worst(NetPlan.STREAM, "gbs", NetPlan.OURS, NetPlan.C_RENO, true, size -> true));
        manual();
        for (int ranks : NetPlan.RANKS) {
            String experiment = NetPlan.allReduce(ranks);
            for (String peer : List.of(NetPlan.MPI, NetPlan.GLOO)) {
                atMost(experiment + ", from 32 KiB on: no slower than " + peer + " at each size", 1,
                        worst(experiment, "out_us", NetPlan.OURS, peer, false, size -> size >= SMALL_BYTES));
            }
            atMost(experiment + ", below 32 KiB: at most 1.5 × the time of " + NetPlan.MPI + " at each size",
                    SMALL_BOUND,
                    worst(experiment, "out_us", NetPlan.OURS, NetPlan.MPI, false, size -> size < SMALL_BYTES));
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
                measured = "at worst " + Figures.format(ratio) + " × " + setting + ", at " + SizeTables.size(size);
            }
        }
        goals.add(Goal.atLeast("one way: automatic sockets and threads at least 0.9 × the best setting by hand",
                MANUAL_BOUND, worst, measured));
    }
}
