/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.List;

/** Communicators that are split off, beside new ones and beside each other. */
public final class SplitBench extends Bench {
    /** No other programs take part. */
    public static final List<Job.Program> PROGRAMS = List.of();

    static final String FORMATION = "formation";
    static final String BESIDE = "beside";
    private static final String RANKS = "8";
    private static final List<String> TRANSPORTS = List.of("SHM", "NET");
    private static final double MOST_OF_INIT = 0.2;
    private static final double MOST_TIMES = 5;
    private static final int TURNS = 9;
    private static final double WARMUP = 4;

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers none
     */
    public SplitBench(Scale scale, Peers peers) {
        super(scale, peers);
    }

    @Override
    public List<Group> groups() {
        Jobs beside = jobs(BESIDE, TRANSPORTS.getFirst());
        for (String transport : TRANSPORTS) {
            beside.of(BESIDE, transport).rig(OURS, "beside proxyrt.threading=dedicated proxyrt.coll.transport="
                    + transport + " warmup=" + time(WARMUP * scale.warmup()) + " seconds=" + seconds(3));
        }
        return List.of(jobs(FORMATION, RANKS).rig(OURS, "split proxyrt.threading=dedicated ranks=" + RANKS + " turns="
                + (scale.isWhole() ? TURNS : 1)).group(FORMATION), beside.group(BESIDE));
    }

    @Override
    public void fill(Report report) {
        Experiment formation = report.experiment(FORMATION);
        report.atMost("split of " + RANKS + " ranks into halves in at most " + MOST_OF_INIT + " × the time of new ones",
                MOST_OF_INIT, formation.median(RANKS, OURS, "of_init"), " ×");
        report.atMost("and with no thread more", 0, formation.median(RANKS, OURS, "split_threads"), "");
        report.table(FORMATION, FORMATION, Table.of("ranks", List.of(RANKS), ranks -> ranks)
                .column("new, ms", ranks -> formation.stat(ranks, OURS, "init_ms"))
                .column("with the first all-reduce", ranks -> formation.stat(ranks, OURS, "first_init_ms"))
                .column("threads", ranks -> formation.stat(ranks, OURS, "init_threads"))
                .column("split off, ms", ranks -> formation.stat(ranks, OURS, "split_ms"))
                .column("with the first all-reduce", ranks -> formation.stat(ranks, OURS, "first_split_ms"))
                .column("threads", ranks -> formation.stat(ranks, OURS, "split_threads")));
        Experiment beside = report.experiment(BESIDE);
        for (String transport : TRANSPORTS) {
            report.atMost(transport + ": 8 bytes beside a communicator with 16 MiB, p99 at most " + MOST_TIMES
                    + " × as without", MOST_TIMES, beside.median(transport, OURS, "times_p99"), " ×");
        }
        report.table(BESIDE, BESIDE, Table.of("transport", TRANSPORTS, transport -> transport)
                .column("alone, p50, ns", transport -> beside.stat(transport, OURS, "alone_p50"))
                .column("p99", transport -> beside.stat(transport, OURS, "alone_p99"))
                .column("beside 16 MiB, p50, ns", transport -> beside.stat(transport, OURS, "beside_p50"))
                .column("p99", transport -> beside.stat(transport, OURS, "beside_p99"))
                .column("p99, times", transport -> beside.stat(transport, OURS, "times_p99")));
    }
}
