/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.core.RedOp;

/**
 * Repeats the very calls that are measured next, until the compilers of all ranks have little to do: where ranks take
 * all CPUs, a compiler that works on what the last row brought to light takes a rank's time slice, some ms each. All
 * ranks do the same number of rounds, for they agree on whether another one is needed.
 */
final class JitSettling {
    private static final long BYTES_PER_ROUND = 64 << 20;
    private static final int MAX_CALLS = 4000;
    private static final int QUIET_ROUNDS = 2;
    private static final int MAX_ROUNDS = 50;
    /** Of a round's time. */
    private static final double QUIET_SHARE = 0.02;

    private final ControlChannel control;
    private final CompilerThreads compilers = new CompilerThreads();
    private final JitWarmup.Launch launch;

    JitSettling(ControlChannel control, JitWarmup.Launch launch) {
        this.control = control;
        this.launch = launch;
    }

    void settle(Variant variant, long bytes, boolean isInPlace) {
        int calls = Math.clamp(BYTES_PER_ROUND / Math.max(1, bytes), 1, MAX_CALLS);
        int quiet = 0;
        for (int round = 0; round < MAX_ROUNDS && quiet < QUIET_ROUNDS; round++) {
            long compiledNs = compilers.cpuNs();
            long startNs = System.nanoTime();
            launch.run(variant, bytes, isInPlace, calls);
            double share = (double) (compilers.cpuNs() - compiledNs) / (System.nanoTime() - startNs);
            quiet = control.reduce(share, RedOp.MAX) < QUIET_SHARE ? quiet + 1 : 0;
        }
    }
}
