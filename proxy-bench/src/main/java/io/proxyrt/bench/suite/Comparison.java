/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Figures;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import java.util.List;

/**
 * One of ours beside a peer, in one cell of an experiment.
 *
 * @param what       is compared, for people
 * @param experiment its name
 * @param cell       of the experiment
 * @param metric     whose values are compared
 * @param ours       the contender
 * @param peer       the other
 * @param isRate     whether more is better
 */
public record Comparison(String what, String experiment, String cell, String metric, String ours, String peer,
        boolean isRate) {
    /** More of ours is better. */
    static Comparison rate(String what, String experiment, String cell, String metric, String ours, String peer) {
        return new Comparison(what, experiment, cell, metric, ours, peer, true);
    }

    /** Less of ours is better. */
    static Comparison time(String what, String experiment, String cell, String metric, String ours, String peer) {
        return new Comparison(what, experiment, cell, metric, ours, peer, false);
    }

    /**
     * Whether a job measures one of the two.
     *
     * @param job of the plan; where cells are sizes, one job measures many
     * @return whether it has to run
     */
    public boolean takes(Job job) {
        return job.experiment().equals(experiment) && (job.contender().equals(ours) || job.contender().equals(peer))
                && (job.scenario().equals(cell) || cell.chars().allMatch(Character::isDigit));
    }

    /**
     * A row of a table: what, beside whom, the ratio, and how the CPUs lay.
     *
     * @param report with what was measured
     * @param plan   by which
     * @return its cells
     */
    public List<?> row(Report report, List<Group> plan) {
        return List.of(what, peer, ratio(report), placement(report, plan));
    }

    private String ratio(Report report) {
        double ratio = report.experiment(experiment).ratio(cell, metric, ours, peer);
        return Double.isNaN(ratio) ? "not measured" : Figures.format(ratio) + (isRate ? " × its rate" : " × its time");
    }

    private String placement(Report report, List<Group> plan) {
        return plan.stream().filter(group -> group.jobs().stream().anyMatch(this::takes)).findFirst()
                .map(group -> report.placement(group.name())).orElse("");
    }
}
