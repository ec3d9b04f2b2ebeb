/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

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
     * A metric over the rounds.
     *
     * @param experiment of the samples
     * @param scenario   of the samples
     * @param contender  of the samples
     * @param metric     of the samples
     * @return {@link Stat#NONE} if it was not measured
     */
    public Stat stat(String experiment, String scenario, String contender, String metric) {
        return Stat.of(samples.stream()
                .filter(s -> s.experiment().equals(experiment) && s.scenario().equals(scenario)
                        && s.contender().equals(contender) && s.metric().equals(metric))
                .map(Sample::value).toList());
    }

    /**
     * A contender beside a peer: the value of the one over the other's in the same round.
     *
     * @param experiment of the samples
     * @param scenario   of the samples
     * @param metric     of the samples
     * @param contender  of the dividends
     * @param peer       of the divisors
     * @return over the rounds in which both were measured
     */
    public Stat ratio(String experiment, String scenario, String metric, String contender, String peer) {
        Map<Integer, Double> values = byRound(experiment, scenario, metric, contender);
        Map<Integer, Double> others = byRound(experiment, scenario, metric, peer);
        values.keySet().retainAll(others.keySet());
        return Stat.of(values.entrySet().stream().map(e -> e.getValue() / others.get(e.getKey())).toList());
    }

    private Map<Integer, Double> byRound(String experiment, String scenario, String metric, String contender) {
        Map<Integer, Double> values = new TreeMap<>();
        samples.stream().filter(s -> s.experiment().equals(experiment) && s.scenario().equals(scenario)
                && s.contender().equals(contender) && s.metric().equals(metric))
                .forEach(s -> values.put(s.round(), s.value()));
        return values;
    }

    /**
     * Whether a contender took part in a cell.
     *
     * @param experiment of the samples
     * @param scenario   of the samples
     * @param contender  of the samples
     * @return true if there is a sample
     */
    public boolean isMeasured(String experiment, String scenario, String contender) {
        return samples.stream().anyMatch(s -> s.experiment().equals(experiment) && s.scenario().equals(scenario)
                && s.contender().equals(contender));
    }

    /**
     * Who was measured in an experiment.
     *
     * @param experiment which
     * @return in the order of the first round
     */
    public List<String> contenders(String experiment) {
        return distinct(experiment, Sample::contender);
    }

    /**
     * The cells of an experiment.
     *
     * @param experiment which
     * @return in the order of the first round
     */
    public List<String> scenarios(String experiment) {
        return distinct(experiment, Sample::scenario);
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
        return new java.math.BigDecimal(value).round(new java.math.MathContext(6)).toPlainString();
    }

    private List<String> distinct(String experiment, Function<Sample, String> part) {
        return samples.stream().filter(s -> s.experiment().equals(experiment)).map(part).distinct().toList();
    }
}
