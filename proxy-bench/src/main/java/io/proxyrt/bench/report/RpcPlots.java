/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.RpcPlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The plot of the report on the control plane, from the same figures as its tables. */
final class RpcPlots {
    static final String ROUND_TRIPS = "rpc-round-trips.svg";
    private static final double NS_PER_US = 1000;

    private final Results results;

    RpcPlots(Results results) {
        this.results = results;
    }

    /** Files by name; none if there is no data. */
    Map<String, String> draw() {
        List<BarChart.Panel> panels = new ArrayList<>();
        results.scenarios(RpcPlan.CALL).forEach(wire -> panels.add(panel("A call of 64 bytes, " + wire, RpcPlan.CALL,
                wire)));
        results.scenarios(RpcPlan.GET_FD).forEach(cell -> panels.add(panel("GetFd, " + cell, RpcPlan.GET_FD, cell)));
        return panels.isEmpty() ? Map.of()
                : Map.of(ROUND_TRIPS, new BarChart("Round trips", "µs, median, less is better", 2, panels).draw());
    }

    private BarChart.Panel panel(String title, String experiment, String cell) {
        return new BarChart.Panel(title, results.contenders(experiment).stream()
                .map(contender -> new BarChart.Bar(contender,
                        results.stat(experiment, cell, contender, "rtt_p50").dividedBy(NS_PER_US)))
                .filter(bar -> bar.stat().isMeasured())
                .sorted(Comparator.comparingDouble(bar -> bar.stat().median())).toList());
    }
}
