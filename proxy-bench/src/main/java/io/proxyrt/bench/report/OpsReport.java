/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** The report of {@code proxyrt bench ops}: {@code ops.md}, {@code ops.csv} and the plots. */
public final class OpsReport implements Report {
    private static final List<String> LIBRARIES = List.of("Agrona", "Disruptor", "HdrHistogram", "JCTools", "JMH");

    private final Results results;
    private final Disturbance disturbance;
    private final Programs programs;
    private final Scale scale;
    private final Duration duration;
    private final OpsTables tables;
    private final List<Goal> goals;

    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     */
    public OpsReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        this.results = runs.results();
        this.disturbance = new Disturbance(runs.noise());
        this.programs = programs;
        this.scale = scale;
        this.duration = duration;
        this.tables = new OpsTables(results);
        this.goals = new OpsGoals(results).judge();
    }

    @Override
    public List<Goal> goals() {
        return goals;
    }

    @Override
    public void write(Path directory) {
        page().write(directory, results.csv());
    }

    private Page page() {
        Page page = new Page("ops", OpsText.head(scale, duration), new OpsPlots(results).draw());
        page.section("Goals", disturbance.warning(), Goal.table(goals), null);
        page.section("Environment", OpsText.CLOCK.formatted(clock("nanotime_ns"), clock("step_ns")),
                Environment.table(programs, LIBRARIES), null);
        if (!results.contenders(OpsPlan.THROUGHPUT).isEmpty()) {
            page.section("Throughput", OpsText.THROUGHPUT, tables.throughput(), "ops-throughput.svg");
            page.section("", "", tables.ratios(), null);
            page.section("Post under load", OpsText.UNDER_LOAD, tables.postUnderLoad(), null);
        }
        String text = OpsText.RATE;
        for (String cell : results.scenarios(OpsPlan.RATE)) {
            String plot = cell.equals(OpsPlots.LATENCY_CELL) ? "ops-post-latency.svg" : null;
            page.section("Post latency at " + cell, text, tables.rate(cell), plot);
            text = "";
        }
        if (!results.contenders(OpsPlan.RATE).isEmpty()) {
            page.section("The seeds' three scenarios", OpsText.SCENARIOS, new OpsScenarios(results).table(), null);
        }
        text = OpsText.IDLE;
        for (String cell : results.scenarios(OpsPlan.IDLE)) {
            String plot = text.isEmpty() ? null : "ops-idle.svg";
            page.section("Idle to consumed, " + cell, text, tables.idle(cell), plot);
            text = "";
        }
        if (!results.contenders(OpsPlan.BURSTS).isEmpty()) {
            page.section("Bursts", OpsText.BURSTS, tables.bursts(), null);
        }
        if (!results.contenders(OpsPlan.RUNTIME).isEmpty()) {
            page.section("An idle runtime", OpsText.RUNTIME, tables.runtime(), null);
        }
        if (!results.contenders(OpsPlan.POOL).isEmpty()) {
            page.section("One thread", OpsText.POOL, tables.pool(), null);
        }
        if (!results.contenders(OpsPlan.PASS).isEmpty()) {
            page.section("A progress pass", OpsText.PASS, tables.pass(), "ops-pass.svg");
        }
        page.section("What else went on", Disturbance.TEXT, disturbance.table(), null);
        return page;
    }

    private String clock(String metric) {
        return Figures.format(results.stat(OpsPlan.TIMER, "clock", "java", metric).median());
    }
}
