/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.util.List;
import java.util.function.Consumer;

/** Tells several reports the same. */
final class TeeReport implements PerfReport {
    private final List<PerfReport> reports;

    TeeReport(List<PerfReport> reports) {
        this.reports = List.copyOf(reports);
    }

    @Override
    public void begin(PerfPlan plan, List<String> devices) {
        tell(report -> report.begin(plan, devices));
    }

    @Override
    public void note(String text) {
        tell(report -> report.note(text));
    }

    @Override
    public void beginRows() {
        tell(PerfReport::beginRows);
    }

    @Override
    public void beginRow(long sizeBytes, long count, PerfPlan.Variant variant) {
        tell(report -> report.beginRow(sizeBytes, count, variant));
    }

    @Override
    public void measured(Measurement measurement) {
        tell(report -> report.measured(measurement));
    }

    @Override
    public void end(PerfResult result) {
        tell(report -> report.end(result));
    }

    @Override
    public void failed(String reason) {
        tell(report -> report.failed(reason));
    }

    private void tell(Consumer<PerfReport> news) {
        reports.forEach(news);
    }
}
