/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import io.proxyrt.cli.tuning.TuningView.Row;
import io.proxyrt.cli.view.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Prints what is chosen for people.
 *
 * @param out where to print
 */
public record TuningReport(PrintWriter out) {
    private static final Table ROWS = new Table(12, 15);

    /**
     * Prints all sizes.
     *
     * @param view what was chosen
     */
    public void print(TuningView view) {
        Table.line(out, view.collective(), view.ranks() + (view.ranks() == 1 ? " rank on " : " ranks on ")
                + view.nodes() + (view.nodes() == 1 ? " node of " : " nodes of ") + view.architecture());
        Table.line(out, "  assumed", view.assumed());
        view.tuner().ifPresent(name -> Table.line(out, "  tuner", name));
        Table.line(out, "  buffers", view.buffers().entrySet().stream()
                .map(buffer -> buffer.getKey().name().toLowerCase(Locale.ROOT) + " " + buffer.getValue())
                .collect(Collectors.joining(", ")) + " bytes of a connection");
        out.println(ROWS.row("  size (B)", List.of("algorithm", "protocol", "channels", "threads", "predicted (us)",
                "algbw (GB/s)")));
        view.rows().forEach(this::print);
        out.flush();
    }

    private void print(Row row) {
        out.println(ROWS.row("  " + row.bytes(), List.of(row.algorithm(), row.protocol(),
                Integer.toString(row.channels()), Integer.toString(row.threads()),
                String.format(Locale.ROOT, "%.2f", row.predictedUs()),
                row.predictedUs() == 0 ? "-"
                        : String.format(Locale.ROOT, "%.2f", row.bytes() / row.predictedUs() / 1e3))));
    }
}
