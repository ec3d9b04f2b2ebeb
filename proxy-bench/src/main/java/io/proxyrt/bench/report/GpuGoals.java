/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.GpuPlan;
import io.proxyrt.bench.run.Results;
import java.util.List;
import java.util.stream.Stream;

/** The goals of the GPU path, held against a run. */
final class GpuGoals extends SizeGoals {
    private static final double PING_PONG_BOUND_US = 3;
    private static final String LARGEST = Long.toString(256L << 20);

    GpuGoals(Results results) {
        super(results);
    }

    @Override
    List<Goal> judge() {
        pingPong();
        rate(GpuPlan.ONE_WAY, GpuPlan.NET, 12);
        rate(GpuPlan.ONE_WAY, GpuPlan.SHM, 45);
        rate(GpuPlan.ONE_WAY, GpuPlan.P2P_CE, 350);
        rate(GpuPlan.ALL_REDUCE, GpuPlan.SHM, 25.3);
        rate(GpuPlan.ALL_REDUCE, GpuPlan.NET, 9.9);
        return goals;
    }

    private void pingPong() {
        double best = leastMicros(Stream.of(GpuPlan.LOOKS_AT_ONCE, GpuPlan.LOOKS_LATER)
                .map(way -> results.stat(GpuPlan.PING_PONG, way, GpuPlan.OURS, "rtt_p50")));
        atMost("a kernel's word to a thread and back, by the better way to look: p50 at most 3 µs",
                PING_PONG_BOUND_US, best, "µs");
    }

    private void rate(String call, String way, double bound) {
        atLeast(call + ", " + GpuPlan.OURS + way + ", 256 MiB: at least " + Figures.format(bound) + " GB/s", bound,
                results.stat(call, LARGEST, GpuPlan.OURS + way, "gbs").median(), "GB/s");
    }
}
