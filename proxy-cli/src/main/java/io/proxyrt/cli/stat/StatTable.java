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
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
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
 * become rates if that is wanted, and rows of zeros may be hidden; it remembers what it saw for this.
 */
final class StatTable {
    private static final Table TABLE = new Table(20, 11);
    private static final int COLUMNS = 6;
    private static final double MILLIS = 1000;
    /** Words in the labels of counters that ought to be 0. */
    private static final Set<String> WRONG = Set.of("failed", "expired", "cancelled", "errors", "refused", "aborted",
            "stalled", "result");

    private final boolean withRates;
    private final StatStyle style;
    private final Set<Row> moved = new HashSet<>();
    private Map<Path, RuntimeView> before = Map.of();
    private long beforeMs;

    StatTable(boolean withRates, StatStyle style) {
        this.withRates = withRates;
        this.style = style;
    }

    /** A counter of a job. */
    private record Row(String job, String label) {
    }

    /** The lines to print now. */
    List<String> lines(List<RuntimeView> views, long nowMs) {
        Map<String, List<RuntimeView>> jobs = new LinkedHashMap<>();
        views.forEach(view -> jobs.computeIfAbsent(view.job(), job -> new ArrayList<>()).add(view));
        moved.removeIf(row -> !jobs.containsKey(row.job()));
        List<String> lines = new ArrayList<>();
        jobs.forEach((job, ranks) -> {
            lines.add(title(job, ranks, nowMs));
            Set<String> labels = labels(ranks);
            int all = labels.size();
            labels.removeIf(label -> isHidden(job, label, ranks));
            for (int from = 0; from < ranks.size(); from += COLUMNS) {
                List<RuntimeView> columns = ranks.subList(from, Math.min(ranks.size(), from + COLUMNS));
                addBlock(lines, labels, columns, from + COLUMNS >= ranks.size() ? ranks : List.of(), nowMs);
            }
            if (labels.size() < all) {
                lines.add("and " + (all - labels.size()) + " more that are 0 at all ranks so far, with --all");
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

    private static Set<String> labels(List<RuntimeView> ranks) {
        Set<String> labels = new LinkedHashSet<>();
        ranks.forEach(rank -> labels.addAll(rank.counters().keySet()));
        return labels;
    }

    /** Once it has moved it stays, or the table would jump. */
    private boolean isHidden(String job, String label, List<RuntimeView> ranks) {
        Row row = new Row(job, label);
        if (ranks.stream().anyMatch(rank -> total(rank, label) != 0)) {
            moved.add(row);
        }
        return !style.withZeros() && !moved.contains(row);
    }

    private void addBlock(List<String> lines, Set<String> labels, List<RuntimeView> columns, List<RuntimeView> summed,
            long nowMs) {
        boolean isSummed = summed.size() > 1;
        lines.add(row("", columns, column -> "rank " + column.rank(), isSummed ? List.of("total") : List.of()));
        lines.add(row("pid", columns, column -> Long.toString(column.pid()), List.of()));
        lines.add(row("state", columns, column -> state(column.health()), List.of()));
        for (String label : labels) {
            double sum = summed.stream().mapToDouble(view -> number(view, label, nowMs)).sum();
            lines.add(row(label, columns, column -> marked(value(column, label, nowMs), label, List.of(column)),
                    isSummed ? List.of(marked(amount(sum), label, summed)) : List.of()));
        }
    }

    private String state(Health health) {
        return switch (health.state()) {
            case RUNNING -> health.label();
            case STALE -> style.palette().doubtful(health.label());
            case DEAD, UNREADABLE -> style.palette().wrong(health.label());
        };
    }

    /** What ought to be 0, and was not at some time, even if it does not grow now. */
    private String marked(String text, String label, List<RuntimeView> of) {
        boolean isWrong = Arrays.stream(label.split(" ")).anyMatch(WRONG::contains)
                && of.stream().anyMatch(view -> total(view, label) != 0);
        return isWrong ? style.palette().wrong(text) : text;
    }

    private static long total(RuntimeView view, String label) {
        RuntimeView.Value value = view.counters().get(label);
        return value == null ? 0 : value.value();
    }

    private static String row(String label, List<RuntimeView> columns, Function<RuntimeView, String> cell,
            List<String> total) {
        return TABLE.row(label, Stream.concat(columns.stream().map(cell), total.stream()).toList());
    }

    private void addNotes(List<String> lines, RuntimeView view) {
        Health health = view.health();
        String who = "rank " + view.rank() + ": ";
        if (health.state() == Health.State.DEAD) {
            lines.add(style.palette().wrong(who + "dead: its process " + view.pid() + " is gone, " + view.path()
                    + " is left"));
        } else if (health.state() == Health.State.STALE) {
            lines.add(style.palette().doubtful(who + "no heartbeat"
                    + (health.ageMs() < 0 ? "" : " for " + health.ageMs() / 1000 + " s")));
        }
        if (!view.problem().isEmpty()) {
            lines.add(style.palette().wrong(who + (health.state() == Health.State.UNREADABLE ? "" : "first failure: ")
                    + view.problem()));
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
