/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.LinePlot;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Sizes;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.report.Worst;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** All-to-all and reduce over SHM and NET, and what groups of calls gain. All-reduce is on the pages of transports. */
public final class CollectivesBench extends Bench {
    /** The peers that take part. */
    public static final List<Job.Program> PROGRAMS = List.of(Job.Program.MPI_SHM, Job.Program.MPI, Job.Program.PERF);

    /** All-reduces of a group beside as many one by one; cells are where. */
    static final String GROUP = "group of all_reduces";
    /** The same of messages each way. */
    static final String MESSAGES = "group of messages";

    private static final String GROUPS = "groups";
    private static final List<Integer> RANKS = List.of(2, 4);
    private static final long LARGE_BYTES = 32 << 10;
    private static final int MOST_SMALL = 256 << 10;
    private static final int LEAST_LARGE = 512 << 10;
    private static final int MOST_LARGE = 16 << 20;
    private static final int LARGE_CALLS = 40;
    private static final int SMOKE_FACTOR = 64;
    private static final String OF_SLOWEST = " -a 3";
    private static final double PEER_SECONDS = 0.3;
    private static final int GROUP_CALLS = 64;
    private static final int GROUP_BYTES = 4 << 10;
    private static final double GROUP_GAIN = 3;
    private static final double GROUP_WARMUP = 8;

    /** What is measured beside MPI. */
    enum Call {
        /** A size is all that a rank sends, and {@code perf} keeps parts aligned to 16 bytes. */
        ALLTOALL(64, false),
        REDUCE(8, true);

        private final int leastBytes;
        private final boolean isInPlaceJudged;

        Call(int leastBytes, boolean isInPlaceJudged) {
            this.leastBytes = leastBytes;
            this.isInPlaceJudged = isInPlaceJudged;
        }

        /** As both programs call it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Of ours, and MPI over what it has for the same. */
    enum Way {
        SHM(Job.Program.MPI_SHM),
        NET(Job.Program.MPI);

        private final Job.Program peer;

        Way(Job.Program peer) {
            this.peer = peer;
        }
    }

    /** Ranks that are connected by a transport. */
    record Where(int ranks, Way way) {
        static Stream<Where> all() {
            return of(RANKS);
        }

        private static Stream<Where> of(List<Integer> numbers) {
            return Arrays.stream(Way.values()).flatMap(way -> numbers.stream().map(ranks -> new Where(ranks, way)));
        }

        @Override
        public String toString() {
            return ranks + " ranks, " + way;
        }
    }

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers which take part
     */
    public CollectivesBench(Scale scale, Peers peers) {
        super(scale, peers);
    }

    static String experiment(Call call, Where where) {
        return call + " " + where;
    }

    /** Of a smoke run, two ranks. */
    @Override
    public List<Group> groups() {
        List<Where> places = Where.of(scale.isWhole() ? RANKS : RANKS.subList(0, 1)).toList();
        List<Group> groups = new ArrayList<>();
        for (Call call : Call.values()) {
            places.forEach(where -> groups.add(collective(call, where)));
        }
        places.forEach(where -> groups.add(groupsOfCalls(where)));
        return groups;
    }

    /** Small ones by themselves, as all calls move through memory of the largest size; of a smoke run, few of them. */
    private Group collective(Call call, Where where) {
        String experiment = experiment(call, where);
        Jobs jobs = jobs(experiment, "to 256 KiB");
        int factor = scale.isWhole() ? 2 : SMOKE_FACTOR;
        add(jobs, call, where, call.leastBytes, MOST_SMALL, factor, scale.calls() * RANKS.getFirst() / where.ranks);
        if (scale.isWhole()) {
            add(jobs.of(experiment, "from 512 KiB"), call, where, LEAST_LARGE, MOST_LARGE, factor, LARGE_CALLS);
        }
        return jobs.group(experiment);
    }

    private void add(Jobs jobs, Call call, Where where, int least, int most, int factor, int calls) {
        jobs.peer(where.way.peer, MPI, where.ranks + " " + call + ' ' + seconds(PEER_SECONDS) + ' ' + least + ' ' + most
                + ' ' + factor);
        jobs.add(Job.Program.PERF, OURS, perf(call.toString(), where.way.name(), where.ranks, least, most, factor,
                calls) + OF_SLOWEST);
    }

    /** Ranks with a CPU each keep to it; others find one. */
    private Group groupsOfCalls(Where where) {
        String words = "groups pinned=" + (where.ranks == RANKS.getFirst()) + " ranks=" + where.ranks + " calls="
                + GROUP_CALLS + " bytes=" + GROUP_BYTES + " coll.transport=" + where.way
                + " proxyrt.threading=invoker warmup=" + time(GROUP_WARMUP * scale.warmup()) + " seconds=" + seconds(2)
                + " call=";
        return jobs(GROUP, where.toString()).rig(OURS, words + "all_reduce").of(MESSAGES, where.toString())
                .rig(OURS, words + "sendrecv").group(GROUPS + ", " + where);
    }

    @Override
    public void fill(Report report) {
        for (Call call : Call.values()) {
            Where.all().forEach(where -> addGoal(report, call, where, "out_us", ""));
            if (call.isInPlaceJudged) {
                Where.all().forEach(where -> addGoal(report, call, where, "in_us", ", in place"));
            }
        }
        Where.all().forEach(where -> report.atLeast(GROUP_CALLS + " all_reduces of 4 KiB, " + where
                + ": in a group at least 3 × the rate of one by one", GROUP_GAIN,
                report.experiment(GROUP).median(where.toString(), OURS, "gain"), " ×"));
        for (Call call : Call.values()) {
            Where.all().forEach(where -> addTable(report, call, where));
            report.plot("collectives-" + call + ".svg", plot(report, call));
        }
        addGroups(report, GROUP);
        addGroups(report, MESSAGES);
    }

    private static void addGoal(Report report, Call call, Where where, String metric, String how) {
        report.atMost(experiment(call, where) + how + ", from 32 KiB on: no slower than Open MPI at each size", 1,
                Worst.of(report.experiment(experiment(call, where)), metric, false, OURS, MPI,
                        size -> size >= LARGE_BYTES));
    }

    private static void addTable(Report report, Call call, Where where) {
        String name = experiment(call, where);
        Experiment calls = report.experiment(name);
        report.table(name, name, MessageBench.bySize("µs, out of place", calls, calls.contenders(), "out_us", 1)
                .column("MPI's over ours", size -> 1 / calls.ratio(size, "out_us", OURS, MPI))
                .column("ours in place", size -> calls.stat(size, OURS, "in_us"))
                .column("MPI in place", size -> calls.stat(size, MPI, "in_us"))
                .column("MPI's over ours, in place", size -> 1 / calls.ratio(size, "in_us", OURS, MPI)));
    }

    /** How many times as fast as MPI, by size. */
    private static LinePlot plot(Report report, Call call) {
        List<String> sizes = Where.all().map(where -> report.experiment(experiment(call, where)))
                .flatMap(calls -> calls.scenarios().stream()).distinct().toList();
        LinePlot plot = new LinePlot(call + " beside Open MPI, out of place", "times as fast, more is better",
                LinePlot.Axis.BYTES, Sizes.sorted(sizes));
        Where.all().forEach(where -> plot.line(OURS + ", " + where,
                size -> 1 / report.experiment(experiment(call, where)).ratio(size, "out_us", OURS, MPI)));
        return plot.reference(MPI, _ -> 1.0);
    }

    private static void addGroups(Report report, String experiment) {
        Experiment calls = report.experiment(experiment);
        report.table(experiment, GROUPS, Table.of("where", calls.scenarios(), where -> where)
                .column("one by one, µs a call", where -> calls.stat(where, OURS, "single_us"))
                .column("in a group, µs a call", where -> calls.stat(where, OURS, "group_us"))
                .column("gain", where -> calls.stat(where, OURS, "gain")));
    }
}
