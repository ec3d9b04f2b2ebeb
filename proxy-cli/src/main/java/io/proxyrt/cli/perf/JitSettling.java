/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.core.RedOp;
import java.time.Duration;

/**
 * Repeats the very calls that are measured next, until the compilers of all ranks have little to do: where ranks take
 * all CPUs, a compiler that works on what the last row brought to light takes a rank's time slice, some ms each. All
 * ranks do the same number of rounds, for they agree on whether another one is needed.
 */
final class JitSettling {
    private static final long BYTES_PER_ROUND = 64 << 20;
    private static final int MAX_CALLS = 4000;
    /** Where others take the CPUs, a call may last milliseconds: a round's calls grow as long as it is short. */
    private static final int FIRST_CALLS = 16;
    private static final int GROWTH = 4;
    /** Of a round's time. */
    private static final double QUIET_SHARE = 0.02;
    /** A path that is new to the compilers is worth their while after some thousand calls, and quiet until then. */
    private static final int QUIET_PART = 32;
    private static final int LONGEST_PART = 8;

    private final ControlChannel control;
    private final CompilerThreads compilers = new CompilerThreads();
    private final JitWarmup.Launch launch;
    private final long quietNs;
    private final long longestNs;

    /**
     * Settles.
     *
     * @param warmup as it was asked for
     * @param share  how many times as long it takes here, where ranks share CPUs
     */
    JitSettling(ControlChannel control, JitWarmup.Launch launch, Duration warmup, int share) {
        this.control = control;
        this.launch = launch;
        this.quietNs = warmup.toNanos() / QUIET_PART;
        this.longestNs = warmup.toNanos() * share / LONGEST_PART;
    }

    void settle(Variant variant, long bytes, boolean isInPlace) {
        int most = Math.clamp(BYTES_PER_ROUND / Math.max(1, bytes), 1, MAX_CALLS);
        int calls = Math.min(most, FIRST_CALLS);
        double quiet = 0;
        for (double spent = 0; quiet < quietNs && spent < longestNs; ) {
            long compiledNs = compilers.cpuNs();
            long startNs = System.nanoTime();
            launch.run(variant, bytes, isInPlace, calls);
            double ownNs = System.nanoTime() - startNs;
            double share = control.reduce((compilers.cpuNs() - compiledNs) / ownNs, RedOp.MAX);
            double roundNs = control.reduce(ownNs, RedOp.MAX);
            spent += roundNs;
            quiet = share < QUIET_SHARE ? quiet + roundNs : 0;
            calls = GROWTH * roundNs < quietNs ? Math.min(most, GROWTH * calls) : calls;
        }
    }
}
