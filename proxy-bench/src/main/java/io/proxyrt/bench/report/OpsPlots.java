/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Stat;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plots of the report, from the same figures as its tables. */
final class OpsPlots {
    /** The rate that the latency plot is of. */
    static final String LATENCY_CELL = OpsPlan.cell(100_000);

    private static final List<String> PERCENTILES = List.of("0", "50", "90", "99", "99.9", "99.99");
    private static final List<String> POINTS = List.of("0", "25", "50", "75", "90", "95", "99", "99.5", "99.9", "99.95",
            "99.99");

    private final Results results;
    private final Map<String, String> plots = new LinkedHashMap<>();

    OpsPlots(Results results) {
        this.results = results;
    }

    /** Files by name; plots without data are left out. */
    Map<String, String> draw() {
        throughput();
        postLatency();
        idle();
        pass();
        return plots;
    }

    private void throughput() {
        List<BarChart.Panel> panels = panels(OpsPlan.THROUGHPUT, "mops", false);
        if (!panels.isEmpty()) {
            plots.put("ops-throughput.svg", new BarChart("Ops from post to fetch", "million a second, more is better",
                    2, panels).draw());
        }
    }

    private void idle() {
        List<BarChart.Panel> panels = panels(OpsPlan.IDLE, "consumed_p50", true);
        if (!panels.isEmpty()) {
            plots.put("ops-idle.svg", new BarChart("From post until an idle consumer has the op",
                    "ns, median, less is better", 2, panels).draw());
        }
    }

    private List<BarChart.Panel> panels(String experiment, String metric, boolean isLessBetter) {
        Comparator<BarChart.Bar> order = Comparator.comparingDouble(bar -> bar.stat().median());
        List<BarChart.Panel> panels = new ArrayList<>();
        for (String scenario : results.scenarios(experiment)) {
            List<BarChart.Bar> bars = results.contenders(experiment).stream()
                    .map(contender -> new BarChart.Bar(contender,
                            results.stat(experiment, scenario, contender, metric)))
                    .filter(bar -> bar.stat().isMeasured())
                    .sorted(isLessBetter ? order : order.reversed()).toList();
            panels.add(new BarChart.Panel(scenario, bars));
        }
        return panels;
    }

    private void postLatency() {
        String cell = LATENCY_CELL;
        List<LineChart.Tick> ticks = PERCENTILES.stream()
                .map(percentile -> new LineChart.Tick(place(percentile), percentile)).toList();
        LineChart chart = new LineChart("Post latency from its intended start, one producer, " + cell,
                "percentile", "ns, less is better", ticks);
        int others = 0;
        for (String contender : results.contenders(OpsPlan.RATE)) {
            boolean isOurs = Palette.isOurs(contender);
            List<LineChart.Point> points = POINTS.stream()
                    .map(percentile -> new LineChart.Point(place(percentile),
                            results.stat(OpsPlan.RATE, cell, contender, "response_p" + percentile).median()))
                    .toList();
            chart.add(new LineChart.Series(contender, Palette.line(contender, others), isOurs, false, points));
            boolean hasOwnColor = !isOurs && results.isMeasured(OpsPlan.RATE, cell, contender)
                    && !contender.startsWith(OpsPlan.C_POLLING);
            others += hasOwnColor ? 1 : 0;
        }
        put("ops-post-latency.svg", chart);
    }

    /** Percentiles by the nines they have. */
    private static double place(String percentile) {
        return -Math.log10(1 - Double.parseDouble(percentile) / 100);
    }

    private void pass() {
        List<LineChart.Tick> ticks = new ArrayList<>();
        List<LineChart.Point> points = new ArrayList<>();
        for (String ops : results.scenarios(OpsPlan.PASS)) {
            double place = Math.log10(Double.parseDouble(ops));
            ticks.add(new LineChart.Tick(place, ops));
            Stat stat = results.stat(OpsPlan.PASS, ops, "ours", "ns_per_pass");
            points.add(new LineChart.Point(place, stat.median()));
        }
        if (points.isEmpty()) {
            return;
        }
        LineChart chart = new LineChart("A progress pass over ops that can't move", "active ops", "ns per pass", ticks);
        LineChart.Point last = points.getLast();
        double perOp = last.value() / Math.pow(10, last.at());
        chart.add(new LineChart.Series(Figures.format(perOp) + " ns × active ops", Svg.MUTED, false, true,
                points.stream().map(point -> new LineChart.Point(point.at(), perOp * Math.pow(10, point.at())))
                        .toList()));
        chart.add(new LineChart.Series("measured", Palette.OURS, true, false, points));
        put("ops-pass.svg", chart);
    }

    private void put(String name, LineChart chart) {
        if (!chart.isEmpty()) {
            plots.put(name, chart.draw());
        }
    }
}
