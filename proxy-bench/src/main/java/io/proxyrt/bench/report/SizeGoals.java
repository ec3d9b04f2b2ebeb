/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Stat;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/** Goals that have to hold at each of several sizes: judged at the size at which ours compares worst. */
abstract class SizeGoals {
    final Results results;
    final List<Goal> goals = new ArrayList<>();

    SizeGoals(Results results) {
        this.results = results;
    }

    abstract List<Goal> judge();

    /** A contender's value over a peer's, the median of the rounds; NaN if one is missing. */
    final double ratio(String experiment, String size, String metric, String ours, String peer) {
        return results.ratio(experiment, size, metric, ours, peer).median();
    }

    /** The least time of several ways to do the same, in microseconds; NaN if none was measured. */
    static double leastMicros(Stream<Stat> times) {
        return times.mapToDouble(Stat::median).filter(value -> !Double.isNaN(value)).min().orElse(Double.NaN)
                / SizeTables.NS_PER_US;
    }

    /** Where ours compares worst, and how; both without a value if it was not measured. */
    record Worst(double ratio, String size) {
        private String text() {
            return size.isEmpty() ? ""
                    : "at worst " + Figures.format(ratio) + " ×, at " + SizeTables.size(size);
        }
    }

    final Worst worst(String experiment, String metric, String ours, String peer, boolean isMoreBetter,
            LongPredicate sizes) {
        Worst worst = new Worst(Double.NaN, "");
        for (String size : SizeTables.bySize(results.scenarios(experiment))) {
            double ratio = ratio(experiment, size, metric, ours, peer);
            boolean isWorse = Double.isNaN(worst.ratio)
                    || (isMoreBetter ? ratio < worst.ratio : ratio > worst.ratio);
            if (sizes.test(Long.parseLong(size)) && !Double.isNaN(ratio) && isWorse) {
                worst = new Worst(ratio, size);
            }
        }
        return worst;
    }

    final void atLeast(String goal, double bound, Worst worst) {
        goals.add(Goal.atLeast(goal, bound, worst.ratio, worst.text()));
    }

    final void atMost(String goal, double bound, Worst worst) {
        goals.add(Goal.atMost(goal, bound, worst.ratio, worst.text()));
    }

    final void atLeast(String goal, double bound, double value, String unit) {
        goals.add(Goal.atLeast(goal, bound, value, Figures.format(value) + ' ' + unit));
    }

    final void atMost(String goal, double bound, double value, String unit) {
        goals.add(Goal.atMost(goal, bound, value, Figures.format(value) + ' ' + unit));
    }
}
