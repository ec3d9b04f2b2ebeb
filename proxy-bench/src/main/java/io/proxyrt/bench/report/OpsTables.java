/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.contender.PoolContender;
import io.proxyrt.bench.run.OpsPlan;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Stat;
import java.util.ArrayList;
import java.util.List;

/** The tables of the report, one for each experiment. */
final class OpsTables {
    private static final List<String> TAIL = List.of("p50", "p99", "p99.9", "max");
    private static final String OURS = "ours";

    private final Results results;

    OpsTables(Results results) {
        this.results = results;
    }

    /** A row for each contender, a column for each cell, and ours set off. */
    Table throughput() {
        List<String> header = new ArrayList<>(List.of("million ops/s"));
        header.addAll(results.scenarios(OpsPlan.THROUGHPUT));
        Table table = new Table(header);
        for (String contender : results.contenders(OpsPlan.THROUGHPUT)) {
            List<String> row = new ArrayList<>(List.of(name(contender)));
            for (String cell : results.scenarios(OpsPlan.THROUGHPUT)) {
                row.add(Figures.format(results.stat(OpsPlan.THROUGHPUT, cell, contender, "mops")));
            }
            table.row(row);
        }
        return table;
    }

    /** The ratio of our default pool to each contender. */
    Table ratios() {
        String ours = PoolContender.kinds().getFirst();
        List<String> header = new ArrayList<>(List.of(ours + " is so many times as fast as"));
        header.addAll(results.scenarios(OpsPlan.THROUGHPUT));
        Table table = new Table(header);
        for (String contender : results.contenders(OpsPlan.THROUGHPUT)) {
            if (!contender.equals(ours)) {
                List<String> row = new ArrayList<>(List.of(name(contender)));
                for (String cell : results.scenarios(OpsPlan.THROUGHPUT)) {
                    row.add(Figures.format(results.stat(OpsPlan.THROUGHPUT, cell, ours, "mops").median()
                            / results.stat(OpsPlan.THROUGHPUT, cell, contender, "mops").median()));
                }
                table.row(row);
            }
        }
        return table;
    }

    Table postUnderLoad() {
        List<String> header = new ArrayList<>(List.of("ns: p50 / p99 / p99.9"));
        header.addAll(results.scenarios(OpsPlan.THROUGHPUT));
        Table table = new Table(header);
        for (String contender : results.contenders(OpsPlan.THROUGHPUT)) {
            List<String> row = new ArrayList<>(List.of(name(contender)));
            for (String cell : results.scenarios(OpsPlan.THROUGHPUT)) {
                row.add(slashed(OpsPlan.THROUGHPUT, cell, contender, "post_", TAIL.subList(0, 3)));
            }
            table.row(row);
        }
        return table;
    }

    /** Response and service times at one rate. */
    Table rate(String cell) {
        Table table = new Table("ns", "from the intended start: p50", "p99", "p99.9", "max", "the call alone: p50",
                "p99", "p99.9", "max");
        for (String contender : measured(OpsPlan.RATE, cell)) {
            List<String> row = new ArrayList<>(List.of(name(contender)));
            TAIL.forEach(p -> row.add(cell(OpsPlan.RATE, cell, contender, "response_" + p)));
            TAIL.forEach(p -> row.add(cell(OpsPlan.RATE, cell, contender, "service_" + p)));
            table.row(row);
        }
        return table;
    }

    Table idle(String cell) {
        Table table = new Table("ns", "consumed after: p50", "p99", "p99.9", "max", "the post: p50", "p99");
        for (String contender : measured(OpsPlan.IDLE, cell)) {
            List<String> row = new ArrayList<>(List.of(name(contender)));
            TAIL.forEach(p -> row.add(cell(OpsPlan.IDLE, cell, contender, "consumed_" + p)));
            row.add(cell(OpsPlan.IDLE, cell, contender, "service_p50"));
            row.add(cell(OpsPlan.IDLE, cell, contender, "service_p99"));
            table.row(row);
        }
        return table;
    }

    Table bursts() {
        Table table = new Table("consumer", "consumed after, ns: p50", "p99", "p99.9", "CPU of the consumer, %",
                "the post, ns: p50");
        for (String cell : results.scenarios(OpsPlan.BURSTS)) {
            for (String idle : results.contenders(OpsPlan.BURSTS)) {
                table.row(idle, cell(OpsPlan.BURSTS, cell, idle, "consumed_p50"),
                        cell(OpsPlan.BURSTS, cell, idle, "consumed_p99"),
                        cell(OpsPlan.BURSTS, cell, idle, "consumed_p99.9"),
                        cell(OpsPlan.BURSTS, cell, idle, "cpu_pct"),
                        cell(OpsPlan.BURSTS, cell, idle, "service_p50"));
            }
        }
        return table;
    }

    Table runtime() {
        Table table = new Table("threading", "CPU of the runtime's threads, % of a core", "threads");
        for (String mode : results.contenders(OpsPlan.RUNTIME)) {
            table.row(mode, cell(OpsPlan.RUNTIME, "idle", mode, "cpu_pct"),
                    cell(OpsPlan.RUNTIME, "idle", mode, "threads"));
        }
        return table;
    }

    Table pool() {
        Table table = new Table("pool", "ns per op", "bytes allocated per op");
        for (String scenario : results.scenarios(OpsPlan.POOL)) {
            table.row(scenario, cell(OpsPlan.POOL, scenario, OURS, "ns_per_op"),
                    cell(OpsPlan.POOL, scenario, OURS, "bytes_per_op"));
        }
        return table;
    }

    Table pass() {
        Table table = new Table("active ops", "ns per pass", "ns per op", "bytes allocated per pass");
        for (String ops : results.scenarios(OpsPlan.PASS)) {
            table.row(ops, cell(OpsPlan.PASS, ops, OURS, "ns_per_pass"), cell(OpsPlan.PASS, ops, OURS, "ns_per_op"),
                    cell(OpsPlan.PASS, ops, OURS, "bytes_per_pass"));
        }
        return table;
    }

    /** Ours in bold. */
    static String name(String contender) {
        return Palette.isOurs(contender) ? "**" + contender + "**" : contender;
    }

    List<String> measured(String experiment, String scenario) {
        return results.contenders(experiment).stream()
                .filter(contender -> results.scenarios(experiment).contains(scenario)
                        && results.isMeasured(experiment, scenario, contender))
                .toList();
    }

    private String slashed(String experiment, String scenario, String contender, String prefix, List<String> metrics) {
        List<String> parts = new ArrayList<>();
        for (String metric : metrics) {
            Stat stat = results.stat(experiment, scenario, contender, prefix + metric);
            parts.add(Figures.format(stat.median()));
        }
        return String.join(" / ", parts);
    }

    private String cell(String experiment, String scenario, String contender, String metric) {
        return Figures.format(results.stat(experiment, scenario, contender, metric));
    }
}
