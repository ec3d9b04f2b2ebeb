/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;
import java.util.List;

/** The report of {@code proxyrt bench ops}: {@code ops.md}, {@code ops.csv} and the plots. */
public final class OpsReport extends Report {
    private static final List<String> LIBRARIES = List.of("Agrona", "Disruptor", "HdrHistogram", "JCTools", "JMH");

    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     */
    public OpsReport(Runs runs, Programs programs, Scale scale, Duration duration) {
        super(runs, programs, scale, duration, new OpsGoals(runs.results()).judge());
    }

    @Override
    List<String> libraries() {
        return LIBRARIES;
    }

    @Override
    Page page() {
        return new Page("ops", head(OpsText.HEAD), new OpsPlots(results).draw());
    }

    @Override
    String aboutEnvironment() {
        return OpsText.CLOCK.formatted(clock("nanotime_ns"), clock("step_ns"));
    }

    @Override
    void addSections(Page page) {
        OpsTables tables = new OpsTables(results);
        if (isMeasured(OpsPlan.THROUGHPUT)) {
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
        if (isMeasured(OpsPlan.RATE)) {
            page.section("The seeds' three scenarios", OpsText.SCENARIOS, new OpsScenarios(results).table(), null);
        }
        text = OpsText.IDLE;
        for (String cell : results.scenarios(OpsPlan.IDLE)) {
            String plot = text.isEmpty() ? null : "ops-idle.svg";
            page.section("Idle to consumed, " + cell, text, tables.idle(cell), plot);
            text = "";
        }
        if (isMeasured(OpsPlan.BURSTS)) {
            page.section("Bursts", OpsText.BURSTS, tables.bursts(), null);
        }
        if (isMeasured(OpsPlan.RUNTIME)) {
            page.section("An idle runtime", OpsText.RUNTIME, tables.runtime(), null);
        }
        if (isMeasured(OpsPlan.POOL)) {
            page.section("One thread", OpsText.POOL, tables.pool(), null);
        }
        if (isMeasured(OpsPlan.PASS)) {
            page.section("A progress pass", OpsText.PASS, tables.pass(), "ops-pass.svg");
        }
    }

    private String clock(String metric) {
        return Figures.format(results.stat(OpsPlan.TIMER, "clock", "java", metric).median());
    }
}
