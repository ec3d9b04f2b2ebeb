/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What a rig found, on its way to the program that started it: a line for each value. */
final class Measurements {
    private static final double[] PERCENTILES = {0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
    private final List<String> lines = new ArrayList<>();

    /** A histogram of nanoseconds, up to a minute, to three digits. */
    static Histogram histogram() {
        return new Histogram(60_000_000_000L, 3);
    }

    void add(String metric, double value) {
        lines.add("R\t" + metric + '\t' + format(value));
    }

    void add(String scenario, String metric, double value) {
        add(scenario + '\t' + metric, value);
    }

    /** Adds mean, percentiles and maximum. */
    void add(String metric, Histogram histogram) {
        if (histogram.getTotalCount() == 0) {
            return;
        }
        add(metric + "_mean", histogram.getMean());
        for (double percentile : PERCENTILES) {
            add(metric + "_p" + Double.toString(percentile).replaceFirst("\\.0$", ""),
                    histogram.getValueAtPercentile(percentile));
        }
        add(metric + "_max", histogram.getMaxValue());
        add(metric + "_count", histogram.getTotalCount());
    }

    void add(String scenario, String metric, Histogram histogram) {
        add(scenario + '\t' + metric, histogram);
    }

    void print(PrintStream out) {
        lines.forEach(out::println);
    }

    private static String format(double value) {
        return String.format(Locale.ROOT, "%.6g", value);
    }
}
