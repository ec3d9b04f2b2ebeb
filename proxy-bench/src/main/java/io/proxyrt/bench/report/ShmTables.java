/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.ShmPlan;
import java.util.ArrayList;
import java.util.List;

/** The tables of the report on the SHM transport: a row for each size. */
final class ShmTables extends SizeTables {
    ShmTables(Results results) {
        super(results);
    }

    /** Medians, and the tails of ours from kernel to kernel. */
    Table roundTrips() {
        List<String> contenders = results.contenders(ShmPlan.ROUND_TRIP);
        Table table = new Table(header("µs", contenders, List.of("p99 of " + ShmPlan.LL, "p99 of " + ShmPlan.MPI)));
        for (String size : results.scenarios(ShmPlan.ROUND_TRIP)) {
            List<String> row = row(size, contenders, ShmPlan.ROUND_TRIP, "rtt_p50", NS_PER_US);
            row.add(Figures.format(stat(ShmPlan.ROUND_TRIP, size, ShmPlan.LL, "rtt_p99").dividedBy(NS_PER_US)));
            row.add(Figures.format(stat(ShmPlan.ROUND_TRIP, size, ShmPlan.MPI, "rtt_p99").dividedBy(NS_PER_US)));
            table.row(row);
        }
        return table;
    }

    /** Rates, and ours over the peers'. */
    Table streams() {
        List<String> contenders = results.contenders(ShmPlan.STREAM);
        Table table = new Table(header("GB/s", contenders, List.of("ours over MPI's", "over UCX's",
                "registered over MPI's")));
        for (String size : results.scenarios(ShmPlan.STREAM)) {
            List<String> row = row(size, contenders, ShmPlan.STREAM, "gbs", 1);
            row.add(Figures.format(ratio(ShmPlan.STREAM, size, "gbs", ShmPlan.MPI)));
            row.add(Figures.format(ratio(ShmPlan.STREAM, size, "gbs", ShmPlan.UCX)));
            row.add(Figures.format(results.ratio(ShmPlan.STREAM, size, "gbs", ShmPlan.REGISTERED, ShmPlan.MPI)
                    .median()));
            table.row(row);
        }
        return table;
    }

    /** Rates of messages with places of their own, and ours over Open MPI's. */
    Table streamsApart() {
        List<String> contenders = results.contenders(ShmPlan.APART);
        Table table = new Table(header("GB/s", contenders, List.of("ours over MPI's", "registered over MPI's")));
        for (String size : results.scenarios(ShmPlan.APART)) {
            List<String> row = row(size, contenders, ShmPlan.APART, "gbs", 1);
            row.add(Figures.format(ratio(ShmPlan.APART, size, "gbs", ShmPlan.MPI)));
            row.add(Figures.format(results.ratio(ShmPlan.APART, size, "gbs", ShmPlan.REGISTERED, ShmPlan.MPI)
                    .median()));
            table.row(row);
        }
        return table;
    }

    /** Rates of steps that a proxy copies, and of one thread's copies. */
    Table copyEngine() {
        List<String> contenders = results.contenders(ShmPlan.COPY_ENGINE);
        Table table = new Table(header("GB/s", contenders, List.of("ours over one thread's", "over C's")));
        for (String size : results.scenarios(ShmPlan.COPY_ENGINE)) {
            List<String> row = row(size, contenders, ShmPlan.COPY_ENGINE, "gbs", 1);
            row.add(Figures.format(ratio(ShmPlan.COPY_ENGINE, size, "gbs", ShmPlan.ONE_COPY)));
            row.add(Figures.format(ratio(ShmPlan.COPY_ENGINE, size, "gbs", ShmPlan.C_COPY)));
            table.row(row);
        }
        return table;
    }

    /** Times, and Open MPI's over ours. */
    Table allReduce(String experiment) {
        List<String> contenders = new ArrayList<>(results.contenders(experiment));
        Table table = new Table(header("µs, out of place", contenders, List.of("ours in place", "MPI in place",
                "MPI's over ours")));
        for (String size : bySize(results.scenarios(experiment))) {
            List<String> row = row(size, contenders, experiment, "out_us", 1);
            row.add(Figures.format(stat(experiment, size, ShmPlan.OURS, "in_us")));
            row.add(Figures.format(stat(experiment, size, ShmPlan.MPI, "in_us")));
            row.add(Figures.format(1 / ratio(experiment, size, "out_us", ShmPlan.MPI)));
            table.row(row);
        }
        return table;
    }
}
