/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.RpcPlan;
import io.proxyrt.bench.run.Stat;
import java.util.ArrayList;
import java.util.List;

/** The tables of the report on the control plane. */
final class RpcTables {
    private static final double NS_PER_US = 1000;
    private static final List<String> TAIL = List.of("p50", "p99", "p99.9");

    private final Results results;

    RpcTables(Results results) {
        this.results = results;
    }

    static String micros(double ns) {
        return Figures.format(ns / NS_PER_US);
    }

    /** A row for each contender, with the ratio to the C peer that waits, and is placed, as it is. */
    Table roundTrips(String experiment, String cell) {
        Table table = new Table("µs", "how", "p50", "p99", "p99.9", "p50 over C's");
        for (String contender : results.contenders(experiment)) {
            if (results.isMeasured(experiment, cell, contender)) {
                List<String> row = new ArrayList<>(List.of(name(contender), RpcText.how(contender)));
                TAIL.forEach(p -> row.add(micros(results.stat(experiment, cell, contender, "rtt_" + p))));
                row.add(Figures.format(median(experiment, cell, contender)
                        / median(experiment, cell, peer(contender))));
                table.row(row);
            }
        }
        return table;
    }

    Table many() {
        Table table = new Table("what", "measured");
        for (String cell : results.scenarios(RpcPlan.ASYNC)) {
            table.row("asynchronous calls/s, " + cell, of(RpcPlan.ASYNC, cell, RpcPlan.OURS, "calls_per_s"));
        }
        for (String cell : results.scenarios(RpcPlan.SET_UP)) {
            table.row("1,000 connections set up, " + cell + ", fresh JVM, ms",
                    of(RpcPlan.SET_UP, cell, RpcPlan.OURS, "first_ms"));
            table.row("the same once more, ms", of(RpcPlan.SET_UP, cell, RpcPlan.OURS, "again_ms"));
        }
        return table;
    }

    Table cpu() {
        Table table = new Table("what", "CPU, % of a core", "threads");
        for (String cell : results.scenarios(RpcPlan.PENDING)) {
            table.row("the service thread, " + cell + " pending", of(RpcPlan.PENDING, cell, RpcPlan.OURS, "cpu_pct"),
                    "1");
        }
        for (String mode : results.contenders(RpcPlan.RUNTIME)) {
            table.row("a whole runtime, idle, " + mode, of(RpcPlan.RUNTIME, "idle", mode, "cpu_pct"),
                    of(RpcPlan.RUNTIME, "idle", mode, "threads"));
        }
        return table;
    }

    Table attack() {
        Table table = new Table("µs", "who", "p50", "p99", "p99.9", "max", "attacks/s", "CPU of the company, %");
        for (String cell : results.scenarios(RpcPlan.ATTACK)) {
            for (String who : results.contenders(RpcPlan.ATTACK)) {
                attack(table, cell, who);
            }
        }
        return table;
    }

    private void attack(Table table, String cell, String who) {
        List<String> row = new ArrayList<>(List.of(cell, name(who)));
        TAIL.forEach(p -> row.add(micros(results.stat(RpcPlan.ATTACK, cell, who, "rtt_" + p))));
        row.add(micros(results.stat(RpcPlan.ATTACK, cell, who, "rtt_max")));
        row.add(of(RpcPlan.ATTACK, cell, who, "attacks_per_s"));
        row.add(of(RpcPlan.ATTACK, cell, who, "company_cpu_pct"));
        table.row(row);
    }

    private static String peer(String contender) {
        return contender.endsWith(RpcPlan.UNPINNED) ? RpcPlan.C_POLL + RpcPlan.UNPINNED
                : contender.endsWith(RpcPlan.SPIN) ? RpcPlan.C_SPIN : RpcPlan.C_POLL;
    }

    private static String name(String contender) {
        return contender.startsWith(RpcPlan.OURS) ? "**" + contender + "**" : contender;
    }

    private static String micros(Stat ns) {
        return Figures.format(ns.dividedBy(NS_PER_US));
    }

    private double median(String experiment, String cell, String contender) {
        return results.stat(experiment, cell, contender, "rtt_p50").median();
    }

    private String of(String experiment, String cell, String contender, String metric) {
        return Figures.format(results.stat(experiment, cell, contender, metric));
    }
}
