/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.BenchException;
import io.proxyrt.bench.run.Noise;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.OpsRuns;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.bench.run.Stat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The report of {@code proxyrt bench ops}: {@code ops.md}, {@code ops.csv} and the plots. */
public final class OpsReport {
    private static final int QUIET_PERCENT = 10;

    private final Results results;
    private final List<Noise> noise;
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
    public OpsReport(OpsRuns runs, Programs programs, Scale scale, Duration duration) {
        this.results = runs.results();
        this.noise = runs.noise();
        this.programs = programs;
        this.scale = scale;
        this.duration = duration;
        this.tables = new OpsTables(results);
        this.goals = new OpsGoals(results).judge();
    }

    /**
     * The goals and whether they hold.
     *
     * @return in the order of the report
     */
    public List<Goal> goals() {
        return goals;
    }

    /**
     * Writes all files.
     *
     * @param directory that exists
     */
    public void write(Path directory) {
        try {
            Map<String, String> plots = new OpsPlots(results).draw();
            for (Map.Entry<String, String> plot : plots.entrySet()) {
                Files.writeString(directory.resolve(plot.getKey()), plot.getValue());
            }
            Files.write(directory.resolve("ops.csv"), results.csv());
            Files.write(directory.resolve("ops.md"), markdown(List.copyOf(plots.keySet())));
        } catch (IOException e) {
            throw new BenchException("cannot write the report into " + directory + "; give another folder with --out",
                    e);
        }
    }

    List<String> markdown(List<String> plots) {
        List<String> lines = new ArrayList<>(OpsText.head(scale, duration));
        section(lines, "Goals", disturbance(), goalTable(), null, plots);
        section(lines, "Environment", OpsText.CLOCK.formatted(clock("nanotime_ns"), clock("step_ns")),
                Environment.table(programs), null, plots);
        if (!results.contenders(OpsPlan.THROUGHPUT).isEmpty()) {
            section(lines, "Throughput", OpsText.THROUGHPUT, tables.throughput(), "ops-throughput.svg", plots);
            section(lines, "", "", tables.ratios(), null, plots);
            section(lines, "Post under load", OpsText.UNDER_LOAD, tables.postUnderLoad(), null, plots);
        }
        String text = OpsText.RATE;
        for (String cell : results.scenarios(OpsPlan.RATE)) {
            String plot = cell.equals(OpsPlots.LATENCY_CELL) ? "ops-post-latency.svg" : null;
            section(lines, "Post latency at " + cell, text, tables.rate(cell), plot, plots);
            text = "";
        }
        if (!results.contenders(OpsPlan.RATE).isEmpty()) {
            section(lines, "The seeds' three scenarios", OpsText.SCENARIOS, new OpsScenarios(results).table(), null,
                    plots);
        }
        text = OpsText.IDLE;
        for (String cell : results.scenarios(OpsPlan.IDLE)) {
            String plot = text.isEmpty() ? null : "ops-idle.svg";
            section(lines, "Idle to consumed, " + cell, text, tables.idle(cell), plot, plots);
            text = "";
        }
        if (!results.contenders(OpsPlan.BURSTS).isEmpty()) {
            section(lines, "Bursts", OpsText.BURSTS, tables.bursts(), null, plots);
        }
        if (!results.contenders(OpsPlan.RUNTIME).isEmpty()) {
            section(lines, "An idle runtime", OpsText.RUNTIME, tables.runtime(), null, plots);
        }
        if (!results.contenders(OpsPlan.POOL).isEmpty()) {
            section(lines, "One thread", OpsText.POOL, tables.pool(), null, plots);
        }
        if (!results.contenders(OpsPlan.PASS).isEmpty()) {
            section(lines, "A progress pass", OpsText.PASS, tables.pass(), "ops-pass.svg", plots);
        }
        section(lines, "What else went on", OpsText.NOISE, noiseTable(), null, plots);
        return lines;
    }

    private static void section(List<String> lines, String title, String text, Table table, String plot,
            List<String> plots) {
        if (!title.isEmpty()) {
            lines.add("");
            lines.add("## " + title);
        }
        if (!text.isEmpty()) {
            lines.add("");
            lines.addAll(text.strip().lines().toList());
        }
        if (plot != null && plots.contains(plot)) {
            lines.add("");
            lines.add("![" + title + "](" + plot + ")");
        }
        lines.add("");
        lines.addAll(table.lines());
    }

    /** What to make of the figures if the machine was not left alone; else empty. */
    private String disturbance() {
        long disturbed = noise.stream().filter(n -> n.others() > QUIET_PERCENT).count();
        double most = noise.stream().mapToDouble(Noise::others).filter(v -> !Double.isNaN(v)).max().orElse(0);
        return disturbed == 0 ? ""
                : OpsText.DISTURBED.formatted(Figures.format(most), disturbed, noise.size(), QUIET_PERCENT);
    }

    private Table goalTable() {
        Table table = new Table("goal", "measured", "in this run");
        goals.forEach(goal -> table.row(goal.goal(), goal.measured(), goal.verdict().toString()));
        return table;
    }

    private String clock(String metric) {
        return Figures.format(results.stat(OpsPlan.TIMER, "clock", "java", metric).median());
    }

    private Table noiseTable() {
        Table table = new Table("group", "cache line to the other CPU and back, ns: before", "after",
                "CPU of other programs, % of one CPU");
        for (String group : noise.stream().map(Noise::group).distinct().toList()) {
            table.row(group, over(group, Noise::c2cBefore), over(group, Noise::c2cAfter), over(group, Noise::others));
        }
        return table;
    }

    private String over(String group, ToDoubleFunction<Noise> value) {
        return Figures.format(Stat.of(noise.stream().filter(n -> n.group().equals(group))
                .map(value::applyAsDouble).filter(v -> !v.isNaN()).toList()));
    }
}
