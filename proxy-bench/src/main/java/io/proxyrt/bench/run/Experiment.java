/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What was measured in one experiment: a metric over the rounds, for each scenario and contender. */
public final class Experiment {
    private final List<Sample> samples;

    Experiment(List<Sample> samples) {
        this.samples = samples;
    }

    /**
     * The cells.
     *
     * @return in the order of the first round
     */
    public List<String> scenarios() {
        return samples.stream().map(Sample::scenario).distinct().toList();
    }

    /**
     * Who was measured.
     *
     * @return in the order of the first round
     */
    public List<String> contenders() {
        return samples.stream().map(Sample::contender).distinct().toList();
    }

    /**
     * Who was measured in a cell.
     *
     * @param scenario the cell
     * @return in the order of the first round
     */
    public List<String> contenders(String scenario) {
        return contenders().stream().filter(contender -> isMeasured(scenario, contender)).toList();
    }

    /**
     * Whether a contender took part in a cell.
     *
     * @param scenario  the cell
     * @param contender who
     * @return true if there is a sample
     */
    public boolean isMeasured(String scenario, String contender) {
        return of(scenario, contender).findAny().isPresent();
    }

    /**
     * A metric over the rounds.
     *
     * @param scenario  the cell
     * @param contender who
     * @param metric    which
     * @return {@link Stat#NONE} if it was not measured
     */
    public Stat stat(String scenario, String contender, String metric) {
        return Stat.of(of(scenario, contender).filter(sample -> sample.metric().equals(metric)).map(Sample::value)
                .toList());
    }

    /**
     * The median of a metric over the rounds.
     *
     * @param scenario  the cell
     * @param contender who
     * @param metric    which
     * @return NaN if it was not measured
     */
    public double median(String scenario, String contender, String metric) {
        return stat(scenario, contender, metric).median();
    }

    /**
     * The least of the medians of several ways to do the same.
     *
     * @param scenarios  the cells
     * @param contenders who
     * @param metric     which
     * @return NaN if none was measured
     */
    public double least(List<String> scenarios, List<String> contenders, String metric) {
        return scenarios.stream().flatMap(cell -> contenders.stream().map(who -> median(cell, who, metric)))
                .filter(value -> !value.isNaN()).min(Double::compare).orElse(Double.NaN);
    }

    /**
     * A contender beside a peer: the value of the one over the other's in the same round.
     *
     * @param scenario  the cell
     * @param metric    which
     * @param contender of the dividends
     * @param peer      of the divisors
     * @return the median over the rounds in which both were measured; NaN if there is none
     */
    public double ratio(String scenario, String metric, String contender, String peer) {
        Map<Integer, Double> values = byRound(scenario, metric, contender);
        Map<Integer, Double> others = byRound(scenario, metric, peer);
        values.keySet().retainAll(others.keySet());
        return Stat.of(values.entrySet().stream().map(e -> e.getValue() / others.get(e.getKey())).toList()).median();
    }

    private Map<Integer, Double> byRound(String scenario, String metric, String contender) {
        return of(scenario, contender).filter(sample -> sample.metric().equals(metric))
                .collect(Collectors.toMap(Sample::round, Sample::value, (first, last) -> last, TreeMap::new));
    }

    private Stream<Sample> of(String scenario, String contender) {
        return samples.stream()
                .filter(sample -> sample.scenario().equals(scenario) && sample.contender().equals(contender));
    }
}
