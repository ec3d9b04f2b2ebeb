/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.GpuPlan;
import io.proxyrt.bench.run.Results;
import java.util.List;

/** The tables of the report on GPUs. */
final class GpuTables extends SizeTables {
    GpuTables(Results results) {
        super(results);
    }

    Table pingPong() {
        Table table = new Table("µs", "mean", "p50", "p99", "p99.9");
        for (String scenario : results.scenarios(GpuPlan.PING_PONG)) {
            table.row(scenario, time(scenario, "rtt_mean"), time(scenario, "rtt_p50"), time(scenario, "rtt_p99"),
                    time(scenario, "rtt_p99.9"));
        }
        return table;
    }

    /** Rates of all, then times. */
    Table calls(String call, String metric, String unit) {
        List<String> contenders = results.contenders(call);
        Table table = new Table(header(unit, contenders, List.of()));
        for (String size : bySize(results.scenarios(call))) {
            table.row(row(size, contenders, call, metric, 1));
        }
        return table;
    }

    private String time(String scenario, String metric) {
        return Figures.format(stat(GpuPlan.PING_PONG, scenario, GpuPlan.OURS, metric).dividedBy(NS_PER_US));
    }
}
