/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.report;

import io.proxyrt.bench.run.NetPlan;
import io.proxyrt.bench.run.Results;
import io.proxyrt.bench.run.Stat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The tables of the report on the NET transport: a row for each size. */
final class NetTables extends SizeTables {
    NetTables(Results results) {
        super(results);
    }

    /** Medians and tails, and the median over C's. */
    Table roundTrips() {
        List<String> contenders = results.contenders(NetPlan.ROUND_TRIP);
        Table table = new Table(header("µs", contenders, List.of("p99 of " + NetPlan.C, "p99 of ours",
                "ours over C's, p50")));
        for (String size : results.scenarios(NetPlan.ROUND_TRIP)) {
            List<String> row = row(size, contenders, NetPlan.ROUND_TRIP, "rtt_p50", NS_PER_US);
            row.add(Figures.format(stat(NetPlan.ROUND_TRIP, size, NetPlan.C, "rtt_p99").dividedBy(NS_PER_US)));
            row.add(Figures.format(stat(NetPlan.ROUND_TRIP, size, NetPlan.OURS, "rtt_p99").dividedBy(NS_PER_US)));
            row.add(Figures.format(ratio(NetPlan.ROUND_TRIP, size, "rtt_p50", NetPlan.C)));
            table.row(row);
        }
        return table;
    }

    /** Rates, and ours over C's. */
    Table streams() {
        List<String> contenders = new ArrayList<>(results.contenders(NetPlan.STREAM));
        contenders.removeAll(NetPlan.manual());
        Table table = new Table(header("GB/s", contenders, List.of("ours over C's, 1 socket", "2 sockets")));
        for (String size : results.scenarios(NetPlan.STREAM)) {
            List<String> row = row(size, contenders, NetPlan.STREAM, "gbs", 1);
            row.add(Figures.format(ratio(NetPlan.STREAM, size, "gbs", NetPlan.C)));
            row.add(Figures.format(ratio(NetPlan.STREAM, size, "gbs", NetPlan.C_TWO)));
            table.row(row);
        }
        return table;
    }

    /** Rates with settings by hand, where they were measured, beside the automatic ones. */
    Table manual() {
        List<String> contenders = new ArrayList<>(results.contenders(NetPlan.STREAM));
        contenders.retainAll(NetPlan.manual());
        List<String> sizes = results.scenarios(NetPlan.STREAM).stream().filter(size -> contenders.stream()
                .anyMatch(contender -> results.isMeasured(NetPlan.STREAM, size, contender))).toList();
        contenders.addFirst(NetPlan.OURS);
        Table table = new Table(header("GB/s", contenders, List.of()));
        for (String size : sizes) {
            table.row(row(size, contenders, NetPlan.STREAM, "gbs", 1));
        }
        return table;
    }

    /** What is gained by asking all connections at once. */
    Table polls() {
        Table table = new Table("connections", "a pass while nothing comes, one by one, µs", "all at once", "gain",
                "one message, one by one, µs", "all at once", "gain", "a message on each, one by one, µs",
                "all at once", "gain");
        for (String connections : results.scenarios(NetPlan.POLL)) {
            List<String> row = new ArrayList<>(List.of(connections));
            for (String metric : List.of("none_ns", "one_p50", "all_p50")) {
                Stat oneByOne = stat(NetPlan.POLL, connections, NetPlan.ONE_BY_ONE, metric);
                Stat batch = stat(NetPlan.POLL, connections, NetPlan.BATCH, metric);
                row.add(Figures.format(oneByOne.dividedBy(NS_PER_US)));
                row.add(Figures.format(batch.dividedBy(NS_PER_US)));
                row.add(percent(oneByOne.median() / batch.median() - 1));
            }
            table.row(row);
        }
        return table;
    }

    /** Times, and those of the peers over ours. */
    Table allReduce(String experiment) {
        List<String> contenders = results.contenders(experiment);
        Table table = new Table(header("µs, out of place", contenders, List.of("ours in place", "MPI in place",
                "MPI's over ours", "Gloo's over ours")));
        for (String size : bySize(results.scenarios(experiment))) {
            List<String> row = row(size, contenders, experiment, "out_us", 1);
            row.add(Figures.format(stat(experiment, size, NetPlan.OURS, "in_us")));
            row.add(Figures.format(stat(experiment, size, NetPlan.MPI, "in_us")));
            row.add(Figures.format(1 / ratio(experiment, size, "out_us", NetPlan.MPI)));
            row.add(Figures.format(1 / ratio(experiment, size, "out_us", NetPlan.GLOO)));
            table.row(row);
        }
        return table;
    }

    private static String percent(double part) {
        return Double.isNaN(part) ? Figures.format(part) : String.format(Locale.ROOT, "%+d %%", Math.round(100 * part));
    }
}
