/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.cli.view.Progress;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.runtime.HostLoad;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Runs the very operations that will be measured, in sizes of each way of carrying them out, until the JVM's compilers
 * had time enough: or the first rows would measure them. All ranks do the same number of rounds, for they agree on the
 * time.
 */
final class JitWarmup {
    private static final long[] SIZES = {8, 64, 512, 4 << 10, 32 << 10, 64 << 10, 256 << 10, 1 << 20};
    /**
     * So that no size takes most of the time: C2 compiles what an operation does once after 5,000 of them. But more
     * calls in a row than a rank launches ahead, or the first row is where it waits for one of them to end, and C2's
     * code for the wait is thrown away.
     */
    private static final long BYTES_PER_ROUND = 64 << 20;
    private static final int MAX_CALLS = 200;
    private static final int MAX_SHARE = 4;
    private static final double NANOS = 1e9;

    private final PerfPlan plan;
    private final int nRanks;
    private final int share;
    private final ControlChannel control;
    private final PerfReport report;
    private final Launch launch;

    JitWarmup(PerfPlan plan, int nRanks, int share, ControlChannel control, PerfReport report, Launch launch) {
        this.plan = plan;
        this.nRanks = nRanks;
        this.share = share;
        this.control = control;
        this.report = report;
        this.launch = launch;
    }

    /** Launches calls and waits for them. */
    interface Launch {
        void run(Variant variant, long bytes, boolean isInPlace, int calls);
    }

    /** How many times as long it takes here: a rank that shares a core, be it with its own compiler threads alone. */
    static int share(HostLoad load) {
        boolean hasOneCpu = Runtime.getRuntime().availableProcessors() == 1;
        return hasOneCpu ? MAX_SHARE : Math.clamp(load.ranks() / load.cpus(), 1, MAX_SHARE);
    }

    void run() {
        if (plan.jitWarmup().isZero()) {
            return;
        }
        Duration time = plan.jitWarmup().multipliedBy(share);
        report.note("JIT warm-up: the operations below, unmeasured, for " + time.toMillis() + " ms on " + nRanks
                + " ranks");
        try (Progress progress = report.progress()) {
            run(time, progress);
        }
    }

    private void run(Duration time, Progress progress) {
        List<Long> sizes = sizes();
        long start = System.nanoTime();
        double spentNs = 0;
        for (int rounds = 0; spentNs < time.toNanos(); rounds++) {
            Variant variant = plan.variants().get(rounds / sizes.size() % plan.variants().size());
            long bytes = sizes.get(rounds % sizes.size());
            int calls = Math.clamp(BYTES_PER_ROUND / bytes, 1, MAX_CALLS);
            launch.run(variant, bytes, false, calls);
            launch.run(variant, bytes, true, calls);
            spentNs = control.reduce(System.nanoTime() - start, RedOp.MAX);
            progress.show(text(spentNs, time));
        }
    }

    private static Supplier<String> text(double spentNs, Duration time) {
        return () -> String.format(Locale.ROOT, "# JIT warm-up: %.1f of %.1f s (--jit-warmup 0 for none)",
                Math.min(spentNs, time.toNanos()) / NANOS, time.toNanos() / NANOS);
    }

    private List<Long> sizes() {
        List<Long> sizes = new ArrayList<>();
        for (long size : SIZES) {
            long allowed = Math.clamp(size, plan.sizes().minBytes(), plan.sizes().maxBytes());
            if (!sizes.contains(allowed)) {
                sizes.add(allowed);
            }
        }
        return sizes;
    }
}
