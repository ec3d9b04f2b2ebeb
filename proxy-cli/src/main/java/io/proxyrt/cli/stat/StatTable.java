/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.cli.stat.RuntimeView.Health;
import io.proxyrt.cli.view.Table;
import io.proxyrt.core.counters.Counter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Lays out runtimes side by side, one column a rank and one for their sum, job by job. After the first time, totals
 * become rates if that is wanted; it remembers what it saw for this.
 */
final class StatTable {
    private static final Table TABLE = new Table(20, 11);
    private static final int COLUMNS = 6;
    private static final double MILLIS = 1000;

    private final boolean withRates;
    private Map<Path, RuntimeView> before = Map.of();
    private long beforeMs;

    StatTable(boolean withRates) {
        this.withRates = withRates;
    }

    /** The lines to print now. */
    List<String> lines(List<RuntimeView> views, long nowMs) {
        Map<String, List<RuntimeView>> jobs = new LinkedHashMap<>();
        views.forEach(view -> jobs.computeIfAbsent(view.job(), job -> new ArrayList<>()).add(view));
        List<String> lines = new ArrayList<>();
        jobs.forEach((job, ranks) -> {
            lines.add(title(job, ranks, nowMs));
            for (int from = 0; from < ranks.size(); from += COLUMNS) {
                List<RuntimeView> columns = ranks.subList(from, Math.min(ranks.size(), from + COLUMNS));
                addBlock(lines, columns, from + COLUMNS >= ranks.size() ? ranks : List.of(), nowMs);
            }
            ranks.forEach(rank -> addNotes(lines, rank));
            lines.add("");
        });
        before = new HashMap<>();
        views.forEach(view -> before.put(view.path(), view));
        beforeMs = nowMs;
        return lines;
    }

    /** A number in at most 9 characters. */
    static String amount(double value) {
        if (Math.abs(value) < 1e9) {
            return Math.rint(value) == value || Math.abs(value) >= 100 ? String.format(Locale.ROOT, "%.0f", value)
                    : String.format(Locale.ROOT, "%.1f", value);
        }
        String units = "GTPE";
        int unit = 0;
        double scaled = value / 1e9;
        for (; Math.abs(scaled) >= 1e4 && unit < units.length() - 1; unit++) {
            scaled /= 1e3;
        }
        return String.format(Locale.ROOT, "%.2f%c", scaled, units.charAt(unit));
    }

    private String title(String job, List<RuntimeView> ranks, long nowMs) {
        long startMs = ranks.stream().mapToLong(RuntimeView::startMs).min().orElse(nowMs);
        return (job.isEmpty() ? "job without a name" : "job " + job) + ", " + ranks.size() + " of "
                + ranks.stream().mapToInt(RuntimeView::nRanks).max().orElse(0) + " ranks here, for "
                + Math.max(0, nowMs - startMs) / 1000 + " s" + (isRate(ranks) ? "; totals are per second" : "");
    }

    private void addBlock(List<String> lines, List<RuntimeView> columns, List<RuntimeView> summed, long nowMs) {
        boolean isSummed = summed.size() > 1;
        lines.add(row("", columns, column -> "rank " + column.rank(), isSummed ? List.of("total") : List.of()));
        lines.add(row("pid", columns, column -> Long.toString(column.pid()), List.of()));
        lines.add(row("state", columns, column -> column.health().label(), List.of()));
        Set<String> labels = new LinkedHashSet<>();
        columns.forEach(column -> labels.addAll(column.counters().keySet()));
        for (String label : labels) {
            double sum = summed.stream().mapToDouble(view -> number(view, label, nowMs)).sum();
            lines.add(row(label, columns, column -> value(column, label, nowMs),
                    isSummed ? List.of(amount(sum)) : List.of()));
        }
    }

    private static String row(String label, List<RuntimeView> columns, Function<RuntimeView, String> cell,
            List<String> total) {
        return TABLE.row(label, Stream.concat(columns.stream().map(cell), total.stream()).toList());
    }

    private void addNotes(List<String> lines, RuntimeView view) {
        Health health = view.health();
        String who = "rank " + view.rank() + ": ";
        if (health.state() == Health.State.DEAD) {
            lines.add(who + "dead: its process " + view.pid() + " is gone, " + view.path() + " is left");
        } else if (health.state() == Health.State.STALE) {
            lines.add(who + "no heartbeat" + (health.ageMs() < 0 ? "" : " for " + health.ageMs() / 1000 + " s"));
        }
        if (!view.problem().isEmpty()) {
            lines.add(who + (health.state() == Health.State.UNREADABLE ? "" : "first failure: ") + view.problem());
        }
    }

    private boolean isRate(List<RuntimeView> ranks) {
        return withRates && ranks.stream().anyMatch(rank -> before.containsKey(rank.path()));
    }

    private String value(RuntimeView view, String label, long nowMs) {
        return view.counters().containsKey(label) ? amount(number(view, label, nowMs)) : "";
    }

    private double number(RuntimeView view, String label, long nowMs) {
        RuntimeView.Value now = view.counters().get(label);
        RuntimeView earlier = before.get(view.path());
        if (now == null || !withRates || earlier == null || now.kind() == Counter.Kind.GAUGE || nowMs <= beforeMs) {
            return now == null ? 0 : now.value();
        }
        RuntimeView.Value then = earlier.counters().get(label);
        return then == null ? now.value() : (now.value() - then.value()) * MILLIS / (nowMs - beforeMs);
    }
}
