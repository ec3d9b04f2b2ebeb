/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Results;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The plots of the report on the NET transport, from the same figures as its tables. */
final class NetPlots {
    static final String ROUND_TRIPS = "net-round-trips.svg";
    static final String STREAMS = "net-streams.svg";
    private static final double NS_PER_US = 1000;
    private static final int MOST_TICKS = 8;

    private final Results results;
    private final Map<String, String> plots = new LinkedHashMap<>();

    NetPlots(Results results) {
        this.results = results;
    }

    static String allReduce(int ranks) {
        return "net-all-reduce-" + ranks + ".svg";
    }

    /** Files by name; plots without data are left out. */
    Map<String, String> draw() {
        draw(ROUND_TRIPS, "Messages there and back", "µs, median, less is better", NetPlan.ROUND_TRIP, "rtt_p50",
                NS_PER_US);
        draw(STREAMS, "Messages one way", "GB/s, more is better", NetPlan.STREAM, "gbs", 1);
        for (int ranks : NetPlan.RANKS) {
            draw(allReduce(ranks), "All-reduce of " + ranks + " ranks, out of place", "µs, less is better",
                    NetPlan.allReduce(ranks), "out_us", 1);
        }
        return plots;
    }

    private void draw(String file, String title, String unit, String experiment, String metric, double units) {
        List<String> sizes = NetGoals.bySize(results.scenarios(experiment));
        if (sizes.size() < 2) {
            return;
        }
        LineChart chart = new LineChart(title, "bytes of a message", unit, ticks(sizes));
        int others = 0;
        for (String contender : results.contenders(experiment)) {
            if (NetPlan.manual().contains(contender)) {
                continue;
            }
            boolean isOurs = Palette.isOurs(contender);
            chart.add(new LineChart.Series(contender, Palette.line(contender, others), isOurs, false, sizes.stream()
                    .map(size -> new LineChart.Point(place(size),
                            results.stat(experiment, size, contender, metric).median() / units))
                    .toList()));
            others += isOurs || contender.equals(NetPlan.C) ? 0 : 1;
        }
        if (!chart.isEmpty()) {
            plots.put(file, chart.draw());
        }
    }

    private static List<LineChart.Tick> ticks(List<String> sizes) {
        int step = (sizes.size() + MOST_TICKS - 1) / MOST_TICKS;
        return sizes.stream().filter(size -> sizes.indexOf(size) % step == 0 || size.equals(sizes.getLast()))
                .map(size -> new LineChart.Tick(place(size), NetTables.size(size))).toList();
    }

    /** Sizes by the twos they have. */
    private static double place(String bytes) {
        return Math.log(Double.parseDouble(bytes)) / Math.log(2);
    }
}
