/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.GpuPlan;
import io.proxyrt.bench.run.Programs;
import io.proxyrt.bench.run.Runs;
import io.proxyrt.bench.run.Scale;
import java.time.Duration;
import java.util.Map;

/** The report of {@code proxyrt bench gpu}: {@code gpu.md}, {@code gpu.csv} and the plots. */
public final class GpuReport extends Report {
    private static final Map<String, String> TITLES = Map.of(GpuPlan.ONE_WAY, "One way", GpuPlan.BOTH_WAYS,
            "Both ways", GpuPlan.ALL_REDUCE, "All-reduce");
    private static final Map<String, String> TEXTS = Map.of(GpuPlan.ONE_WAY, GpuText.ONE_WAY, GpuPlan.BOTH_WAYS,
            GpuText.BOTH_WAYS, GpuPlan.ALL_REDUCE, GpuText.ALL_REDUCE);

    private final String devices;

    /**
     * A report.
     *
     * @param runs     that have been made
     * @param programs they were made with
     * @param scale    how long each took
     * @param duration of all
     * @param devices  what they are, for people
     */
    public GpuReport(Runs runs, Programs programs, Scale scale, Duration duration, String devices) {
        super(runs, programs, scale, duration, new GpuGoals(runs.results()).judge());
        this.devices = devices;
    }

    @Override
    String aboutEnvironment() {
        return devices;
    }

    @Override
    Page page() {
        return new Page("gpu", head(GpuText.HEAD), new GpuPlots(results).draw());
    }

    @Override
    void addSections(Page page) {
        GpuTables tables = new GpuTables(results);
        if (isMeasured(GpuPlan.PING_PONG)) {
            page.section("A proxy's turn", GpuText.PING_PONG, tables.pingPong(), null);
        }
        for (String call : GpuPlan.CALLS) {
            if (isMeasured(call)) {
                page.section(TITLES.get(call), TEXTS.get(call), tables.calls(call, "gbs", "GB/s"),
                        GpuPlots.file(call));
                page.section("", "", tables.calls(call, "us", "µs"), null);
            }
        }
    }
}
