/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Experiment;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * Where ours compares worst among several sizes.
 *
 * @param ratio to the peer; NaN if it was not measured
 * @param text  for people
 */
public record Worst(double ratio, String text) {
    private static final Worst UNKNOWN = new Worst(Double.NaN, "");

    /**
     * Looks for it.
     *
     * @param experiment   by size
     * @param metric       which
     * @param isMoreBetter whether the least ratio is the worst
     * @param ours         who is compared
     * @param peer         with whom
     * @param sizes        that count
     * @return without a value if none was measured
     */
    public static Worst of(Experiment experiment, String metric, boolean isMoreBetter, String ours, String peer,
            LongPredicate sizes) {
        Worst worst = UNKNOWN;
        for (String size : Sizes.sorted(experiment.scenarios())) {
            double ratio = experiment.ratio(size, metric, ours, peer);
            boolean isWorse = Double.isNaN(worst.ratio) || (isMoreBetter ? ratio < worst.ratio : ratio > worst.ratio);
            if (sizes.test(Long.parseLong(size)) && !Double.isNaN(ratio) && isWorse) {
                worst = new Worst(ratio, "at worst " + Figures.format(ratio) + " ×, at " + Sizes.format(size));
            }
        }
        return worst;
    }

    /**
     * Rates at which ours compares worst with whichever peer is faster.
     *
     * @param experiment by size
     * @param metric     which
     * @param ours       who is compared
     * @param peers      with whom
     * @return without a value if none was measured
     */
    public static Worst ofBest(Experiment experiment, String metric, String ours, List<String> peers) {
        Worst worst = UNKNOWN;
        for (String peer : peers) {
            Worst next = of(experiment, metric, true, ours, peer, size -> true);
            worst = Double.isNaN(worst.ratio) || next.ratio < worst.ratio ? next : worst;
        }
        return worst;
    }
}
