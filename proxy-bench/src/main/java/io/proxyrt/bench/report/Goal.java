/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import java.util.List;

/**
 * What was to be shown, and what this run shows.
 *
 * @param goal     with its bound
 * @param measured in words and figures
 * @param verdict  whether it holds
 */
public record Goal(String goal, String measured, Verdict verdict) {
    /** Whether a goal was reached. */
    public enum Verdict {
        /** In this run it does. */
        HOLDS("holds"),
        /** In this run it does not. */
        MISSED("**missed**"),
        /** What it takes was not part of this run. */
        NOT_MEASURED("not measured");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /**
     * Whether this run could tell.
     *
     * @return false if what it takes was not measured
     */
    public boolean isMeasured() {
        return verdict != Verdict.NOT_MEASURED;
    }

    /**
     * One that a value reaches from above.
     *
     * @param goal     with its bound
     * @param bound    that holds
     * @param value    NaN if it was not measured
     * @param measured in words and figures
     * @return judged
     */
    public static Goal atLeast(String goal, double bound, double value, String measured) {
        return of(goal, value, measured, value >= bound);
    }

    /**
     * One that a value reaches from below.
     *
     * @param goal     with its bound
     * @param bound    that holds
     * @param value    NaN if it was not measured
     * @param measured in words and figures
     * @return judged
     */
    public static Goal atMost(String goal, double bound, double value, String measured) {
        return of(goal, value, measured, value <= bound);
    }

    static Table<Goal> table(List<Goal> goals) {
        return Table.of("goal", goals, Goal::goal).column("measured", Goal::measured)
                .column("in this run", goal -> goal.verdict().toString());
    }

    private static Goal of(String goal, double value, String measured, boolean holds) {
        if (Double.isNaN(value)) {
            return new Goal(goal, "–", Verdict.NOT_MEASURED);
        }
        return new Goal(goal, measured, holds ? Verdict.HOLDS : Verdict.MISSED);
    }

    @Override
    public String toString() {
        return verdict.toString().replace("*", "") + ": " + goal + ": " + measured;
    }
}
