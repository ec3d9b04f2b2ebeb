/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.List;

/**
 * A metric over the rounds.
 *
 * @param median of them
 * @param min    the least
 * @param max    the most
 * @param count  how many; 0 if it was not measured
 */
public record Stat(double median, double min, double max, int count) {
    /** Not measured. */
    public static final Stat NONE = new Stat(Double.NaN, Double.NaN, Double.NaN, 0);

    /**
     * Sums up.
     *
     * @param values in any order
     * @return {@link #NONE} for no values
     */
    public static Stat of(List<Double> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Stat(median, sorted.getFirst(), sorted.getLast(), sorted.size());
    }

    /**
     * The same in a greater unit.
     *
     * @param units of the old in one of the new
     * @return still not measured if it was not
     */
    public Stat dividedBy(double units) {
        return new Stat(median / units, min / units, max / units, count);
    }

    /**
     * Whether there is a value.
     *
     * @return false for {@link #NONE}
     */
    public boolean isMeasured() {
        return count > 0;
    }
}
