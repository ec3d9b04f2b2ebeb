/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Plots of a metric by the size of a message, with a line for each contender. */
abstract class SizePlots {
    private static final int MOST_TICKS = 8;

    private final Results results;
    private final Map<String, String> plots = new LinkedHashMap<>();

    SizePlots(Results results) {
        this.results = results;
    }

    /** Whether a contender has a line. */
    boolean isDrawn(String contender) {
        return true;
    }

    /** Files by name; plots without data are left out. */
    final Map<String, String> plots() {
        return plots;
    }

    final void draw(String file, String title, String unit, String experiment, String metric, double units) {
        List<String> sizes = SizeTables.bySize(results.scenarios(experiment));
        if (sizes.size() < 2) {
            return;
        }
        LineChart chart = new LineChart(title, "bytes of a message", unit, ticks(sizes));
        int ours = 0;
        int others = 0;
        for (String contender : results.contenders(experiment).stream().filter(this::isDrawn).toList()) {
            boolean isOurs = Palette.isOurs(contender);
            String color = Palette.line(contender, isOurs ? ours : others);
            chart.add(new LineChart.Series(contender, color, isOurs, false, sizes.stream()
                    .map(size -> new LineChart.Point(place(size),
                            results.stat(experiment, size, contender, metric).median() / units))
                    .toList()));
            ours += isOurs ? 1 : 0;
            others += isOurs || Palette.isC(contender) ? 0 : 1;
        }
        if (!chart.isEmpty()) {
            plots.put(file, chart.draw());
        }
    }

    private static List<LineChart.Tick> ticks(List<String> sizes) {
        int step = (sizes.size() + MOST_TICKS - 1) / MOST_TICKS;
        return sizes.stream().filter(size -> sizes.indexOf(size) % step == 0 || size.equals(sizes.getLast()))
                .map(size -> new LineChart.Tick(place(size), SizeTables.size(size))).toList();
    }

    /** Sizes by the twos they have. */
    private static double place(String bytes) {
        return Math.log(Double.parseDouble(bytes)) / Math.log(2);
    }
}
