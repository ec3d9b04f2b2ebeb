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
 * @param isWhole    whether all cells are measured, or as few as it takes to run all contenders and rigs
 */
public record Scale(int rounds, double warmup, double seconds, double runtime, double iteration, boolean isWhole) {
    /**
     * For figures.
     *
     * @param rounds how many
     * @return minutes
     */
    public static Scale full(int rounds) {
        return new Scale(rounds, 0.5, 0.4, 1.5, 0.15, true);
    }

    /**
     * To see that everything runs.
     *
     * @param rounds how many
     * @return a fraction of a second for each measurement
     */
    public static Scale smoke(int rounds) {
        return new Scale(rounds, 0.04, 0.08, 0.1, 0.02, false);
    }
}
