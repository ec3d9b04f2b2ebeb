/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import io.proxyrt.cli.tuning.ChoiceView.Row;
import io.proxyrt.cli.view.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Prints for people what kernels of the host choose.
 *
 * @param out where to print
 */
public record ChoiceReport(PrintWriter out) {
    private static final Table ROWS = new Table(12, 15);
    private static final double PERCENT = 100;

    /**
     * Prints all sizes.
     *
     * @param view what is chosen
     */
    public void print(ChoiceView view) {
        Table.line(out, view.collective(), view.ranks() + " ranks over " + view.transport() + " on " + view.machine());
        Table.line(out, "  channels", Integer.toString(view.channels()));
        boolean isMeasured = view.regret().isPresent();
        out.println(ROWS.row("  size (B)", isMeasured ? List.of("algorithm", "predicted (us)", "measured (us)",
                "fastest", "takes (us)", "regret (%)") : List.of("algorithm", "predicted (us)")));
        view.rows().forEach(row -> out.println(ROWS.row("  " + row.bytes(), isMeasured ? measured(row)
                : List.of(row.algorithm(), number(row.predictedUs())))));
        view.regret().ifPresent(regret -> Table.line(out, "  regret", String.format(Locale.ROOT,
                "%.0f %% in the median, %.0f %% at worst, of %d bytes; rounds differ by %.0f %%",
                PERCENT * regret.median(), PERCENT * regret.worst(), regret.atBytes(),
                PERCENT * view.noise().orElse(0.0))));
        out.flush();
    }

    private static List<String> measured(Row row) {
        return List.of(row.algorithm(), number(row.predictedUs()), number(row.measuredUs()), row.fastest().orElse("-"),
                number(row.fastestUs()), row.regret().map(part -> String.format(Locale.ROOT, "%.0f", PERCENT * part))
                        .orElse("-"));
    }

    private static String number(Optional<Double> us) {
        return us.map(value -> String.format(Locale.ROOT, "%.2f", value)).orElse("-");
    }
}
