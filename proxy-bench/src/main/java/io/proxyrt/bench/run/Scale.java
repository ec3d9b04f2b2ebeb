/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

/**
 * How long everything takes.
 *
 * @param rounds     how often each measurement is made
 * @param warmup     seconds of warming up
 * @param seconds    seconds of measuring
 * @param runtime    seconds over which an idle runtime's CPU time is taken
 * @param iteration  seconds of a JMH iteration
 * @param calls      how often a small collective is called for one figure
 * @param isWhole    whether all cells are measured, or as few as it takes to run all contenders and rigs
 */
public record Scale(int rounds, double warmup, double seconds, double runtime, double iteration, int calls,
        boolean isWhole) {
    /**
     * For figures.
     *
     * @param rounds how many
     * @return minutes
     */
    public static Scale full(int rounds) {
        return new Scale(rounds, 0.5, 0.4, 1.5, 0.15, 2000, true);
    }

    /**
     * For ratios that tell roughly where a machine stands.
     *
     * @return seconds for each measurement, once
     */
    public static Scale quick() {
        return new Scale(1, 0.4, 0.3, 0.5, 0.05, 1000, false);
    }

    /**
     * To see that everything runs.
     *
     * @param rounds how many
     * @return a fraction of a second for each measurement
     */
    public static Scale smoke(int rounds) {
        return new Scale(rounds, 0.04, 0.08, 0.1, 0.02, 5, false);
    }
}
