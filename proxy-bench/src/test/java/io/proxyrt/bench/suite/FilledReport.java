/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Drawn;
import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.run.Noise;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The report of a benchmark on values that a test gives. */
abstract class FilledReport {
    private final Results results = new Results();
    private final List<Noise> noise = new ArrayList<>();

    abstract Bench bench();

    final void add(String experiment, String scenario, String contender, String metric, double value) {
        add(1, experiment, scenario, contender, metric, value);
    }

    final void add(int round, String experiment, String scenario, String contender, String metric, double value) {
        results.add(new Sample(round, experiment, scenario, contender, metric, value));
    }

    /** What a cache line took before and after a group. */
    final void exchange(String group, double before, double after) {
        noise.add(new Noise(1, group, before, after, 0));
    }

    final List<Goal> goals() {
        return report().goals();
    }

    final Goal goal(String beginning) {
        return goals().stream().filter(goal -> goal.goal().startsWith(beginning)).findFirst().orElseThrow();
    }

    final List<String> table(String name) {
        return Drawn.table(report(), name);
    }

    final Set<String> plots() {
        return Drawn.files(report());
    }

    private Report report() {
        Report report = new Report(results, noise);
        bench().fill(report);
        return report;
    }
}
