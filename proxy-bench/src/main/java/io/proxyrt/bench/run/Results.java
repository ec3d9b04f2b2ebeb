/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Everything that was measured in one run of the benchmark. */
public final class Results {
    private final List<Sample> samples = new ArrayList<>();

    /** Without a value. */
    public Results() {
    }

    /**
     * Adds a value.
     *
     * @param sample the value
     */
    public void add(Sample sample) {
        samples.add(sample);
    }

    /**
     * What was measured in an experiment.
     *
     * @param name of the samples' experiment
     * @return empty if nothing was
     */
    public Experiment experiment(String name) {
        return new Experiment(samples.stream().filter(sample -> sample.experiment().equals(name)).toList());
    }

    /**
     * All samples, as comma-separated values with a header.
     *
     * @return lines
     */
    public List<String> csv() {
        List<String> lines = new ArrayList<>();
        lines.add("round,experiment,scenario,contender,metric,value");
        for (Sample s : samples) {
            lines.add(String.format(Locale.ROOT, "%d,%s,\"%s\",%s,%s,%s", s.round(), s.experiment(), s.scenario(),
                    s.contender(), s.metric(), plain(s.value())));
        }
        return lines;
    }

    private static String plain(double value) {
        return new BigDecimal(value).round(new MathContext(6)).toPlainString();
    }
}
