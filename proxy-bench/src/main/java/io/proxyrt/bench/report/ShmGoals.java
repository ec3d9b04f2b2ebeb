/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.ShmPlan;
import java.util.List;
import java.util.stream.Stream;

/** The goals of the SHM transport, held against a run. */
final class ShmGoals extends SizeGoals {
    private static final double ROUND_TRIP_BOUND_US = 0.2;
    private static final double SMALL_BOUND_US = 1;
    private static final double COPY_BOUND = 0.9;
    private static final long LEAST_BYTES = 4 << 10;
    private static final long LEAST_COPIED_BYTES = 64 << 10;
    private static final String SMALLEST = "8";

    ShmGoals(Results results) {
        super(results);
    }

    @Override
    List<Goal> judge() {
        roundTrip();
        for (String ours : List.of(ShmPlan.OURS, ShmPlan.REGISTERED)) {
            atLeast("one way, " + ours + ", 64 KiB to 4 MiB: at least the rate of the better of UCX and Open MPI at"
                    + " each size", 1, worstOfBest(ours));
        }
        for (String ours : List.of(ShmPlan.OURS, ShmPlan.REGISTERED)) {
            atLeast("one way from places of their own, " + ours + ", 64 KiB to 4 MiB: at least the rate of Open MPI at"
                    + " each size", 1, worst(ShmPlan.APART, "gbs", ours, ShmPlan.MPI, true, size -> true));
        }
        copies("one thread's memcpy in C", ShmPlan.C_COPY);
        copies("one thread's copies in Java", ShmPlan.ONE_COPY);
        for (int ranks : ShmPlan.RANKS) {
            String experiment = ShmPlan.allReduce(ranks);
            atMost(experiment + ", from 4 KiB on: no slower than Open MPI at each size", 1,
                    worst(experiment, "out_us", ShmPlan.OURS, ShmPlan.MPI, false, size -> size >= LEAST_BYTES));
        }
        atMost("all_reduce 2 ranks, 8 B: at most 1 µs", SMALL_BOUND_US,
                results.stat(ShmPlan.allReduce(2), SMALLEST, ShmPlan.OURS, "out_us").median(), "µs");
        return goals;
    }

    private void copies(String what, String contender) {
        atLeast("one way, copied by the proxy, 64 KiB to 512 KiB: at least 0.9 × the rate of " + what, COPY_BOUND,
                worst(ShmPlan.COPY_ENGINE, "gbs", ShmPlan.OURS, contender, true,
                        size -> size >= LEAST_COPIED_BYTES));
    }

    private void roundTrip() {
        double best = leastRoundTrip(ShmPlan.LL, ShmPlan.LL128, ShmPlan.SIMPLE);
        double peers = leastRoundTrip(ShmPlan.MPI, ShmPlan.UCX);
        atMost("8 bytes to a kernel and back, by the best protocol: p50 at most 0.2 µs", ROUND_TRIP_BOUND_US, best,
                "µs");
        atMost("the same: no slower than the better of UCX and Open MPI", 1, best / peers, "× its time");
    }

    private double leastRoundTrip(String... contenders) {
        return leastMicros(Stream.of(contenders)
                .map(contender -> results.stat(ShmPlan.ROUND_TRIP, SMALLEST, contender, "rtt_p50")));
    }

    /** Held against whichever peer is faster. */
    private Worst worstOfBest(String ours) {
        Worst mpi = worst(ShmPlan.STREAM, "gbs", ours, ShmPlan.MPI, true, size -> true);
        Worst ucx = worst(ShmPlan.STREAM, "gbs", ours, ShmPlan.UCX, true, size -> true);
        return Double.isNaN(mpi.ratio()) || ucx.ratio() < mpi.ratio() ? ucx : mpi;
    }
}
