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

/** New communicators of many ranks; those that are split off, beside new ones and beside each other. */
public final class SplitBench extends Bench {
    /** No other programs take part. */
    public static final List<Job.Program> PROGRAMS = List.of();

    static final String MEET = "meet";
    static final String INIT = "init";
    static final String FORMATION = "formation";
    static final String BESIDE = "beside";
    private static final List<String> MEETINGS = List.of("2", "8", "32", "128", "512", "1024");
    /** The last take 10,240 descriptors. */
    private static final List<String> JOBS = List.of("2", "8", "32", "128", "256", "512", "1024");
    private static final List<String> SMOKE_JOBS = List.of("2", "32");
    private static final int INIT_TURNS = 4;
    private static final double MOST_INIT_MS = 2000;
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
        Jobs meet = jobs(MEET, RANKS);
        for (String ranks : of(MEETINGS)) {
            meet.of(MEET, ranks).rig(OURS, "meet rounds=7 bytes=200 ranks=" + ranks);
        }
        Jobs init = jobs(INIT, RANKS);
        for (String ranks : of(JOBS)) {
            init.of(INIT, ranks).rig(OURS, "init proxyrt.threading=invoker proxyrt.coll.transport=SHM"
                    + " proxyrt.coll.algo=tree ranks=" + ranks + " turns=" + (scale.isWhole() ? INIT_TURNS : 2));
        }
        return List.of(meet.group(MEET), init.group(INIT),
                jobs(FORMATION, RANKS).rig(OURS, "split proxyrt.threading=dedicated ranks=" + RANKS + " turns="
                + (scale.isWhole() ? TURNS : 1)).group(FORMATION), beside.group(BESIDE));
    }

    private List<String> of(List<String> sizes) {
        return scale.isWhole() ? sizes : SMOKE_JOBS;
    }

    @Override
    public void fill(Report report) {
        fillMeet(report, report.experiment(MEET));
        fillInit(report, report.experiment(INIT), of(JOBS).getLast());
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

    private void fillMeet(Report report, Experiment meet) {
        report.table(MEET, MEET, Table.of("ranks", of(MEETINGS), ranks -> ranks)
                .column("join, ms", ranks -> meet.stat(ranks, OURS, "join_ms"))
                .column("all-gather, ms", ranks -> meet.stat(ranks, OURS, "gather_ms"))
                .column("CPU time of the root, ms", ranks -> meet.stat(ranks, OURS, "root_ms"))
                .column("close, ms", ranks -> meet.stat(ranks, OURS, "close_ms")));
    }

    private void fillInit(Report report, Experiment init, String most) {
        report.atMost("init of " + most + " ranks in one process in at most 2 s", MOST_INIT_MS,
                init.median(most, OURS, "init_ms"), " ms");
        report.table(INIT, INIT, Table.of("ranks", of(JOBS), ranks -> ranks)
                .column("init, ms", ranks -> init.stat(ranks, OURS, "init_ms"))
                .column("in a cold JVM", ranks -> init.stat(ranks, OURS, "cold_ms"))
                .column("the first all-reduce, ms", ranks -> init.stat(ranks, OURS, "first_ms"))
                .column("close, ms", ranks -> init.stat(ranks, OURS, "close_ms"))
                .column("threads a rank", ranks -> init.stat(ranks, OURS, "threads"))
                .column("descriptors", ranks -> init.stat(ranks, OURS, "descriptors"))
                .column("heap, KiB", ranks -> init.stat(ranks, OURS, "heap_kb"))
                .column("resident in a cold JVM, KiB", ranks -> init.stat(ranks, OURS, "resident_kb")));
    }
}
