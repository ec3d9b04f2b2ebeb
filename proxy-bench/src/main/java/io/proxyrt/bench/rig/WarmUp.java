/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.util.function.DoubleSupplier;

/** Runs something until its figure has settled, as compilers take longer on a busy machine and for more code. */
final class WarmUp {
    private static final int PARTS = 3;
    private static final int MOST = 4;
    private static final double SETTLED = 0.1;

    /** A run for so many nanoseconds, which returns the figure that settles. */
    interface Run {
        double run(long durationNs, Measurements found);
    }

    private WarmUp() {
    }

    /** How long one run is to last, for a warm-up of so many nanoseconds at least. */
    static long partNs(long leastNs) {
        return leastNs / PARTS;
    }

    /** Runs for that long at least, then until two figures in a row differ little, and for four times that at most. */
    static void run(long leastNs, DoubleSupplier figure) {
        long start = System.nanoTime();
        double last = figure.getAsDouble();
        double before = Double.NaN;
        while (System.nanoTime() - start < leastNs || !isSettled(before, last)
                && System.nanoTime() - start < MOST * leastNs) {
            before = last;
            last = figure.getAsDouble();
        }
    }

    /** The same, for the time that a rig is told, then once for what is found. */
    static Measurements measure(RigArguments arguments, Run run) {
        long warmupNs = arguments.nanos("warmup");
        run(warmupNs, () -> run.run(partNs(warmupNs), new Measurements()));
        Measurements found = new Measurements();
        run.run(arguments.nanos("seconds"), found);
        return found;
    }

    private static boolean isSettled(double before, double last) {
        return Math.abs(last - before) <= SETTLED * Math.abs(before);
    }
}
