/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Figures;
import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Sizes;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.report.Worst;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.testkit.plugin.TcpNetPlugin;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The NET transport: its socket network, and all-reduce over it. */
public final class NetBench extends MessageBench {
    /** The peers that take part. */
    public static final List<Job.Program> PROGRAMS = List.of(Job.Program.NET, Job.Program.NET_ENGINES,
            Job.Program.NET_PLUGIN, Job.Program.MPI, Job.Program.GLOO, Job.Program.PERF);

    /** Many connections that wait, asked one by one or all at once; cells are their number. */
    static final String POLL = "poll";
    /** Messages one way over a plug-in. */
    static final String PLUGIN_STREAM = "plug-in stream";
    /** Messages there and back over a plug-in. */
    static final String PLUGIN_ROUND_TRIP = "plug-in rtt";
    /** A receive over a plug-in that nothing is sent to. */
    static final String PLUGIN_CALL = "plug-in test";
    /** One socket each way, in C. */
    static final String C = "c-1-socket";
    /** One socket without pacing, in C. */
    static final String C_RENO = "c-1-reno";
    static final String GLOO = "gloo";
    private static final String C_TWO = "c-2-sockets";
    private static final String C_URING = "c-io_uring";
    /** The same plug-in, called from C. */
    static final String C_PLUGIN = "c";
    static final String ONE_BY_ONE = OURS + "-one-by-one";
    static final String BATCH = OURS + "-batch";

    private static final List<Long> ROUND_TRIP_BYTES = List.of(8L, 64L, 4L << 10, 64L << 10, 1L << 20);
    /** Threads of each end, and sockets of each thread, or of the caller. */
    private static final List<String> SETTINGS = List.of("0x1", "0x2", "0x4", "1x1", "1x2", "2x1");
    private static final List<String> MANUAL = SETTINGS.stream().map(setting -> OURS + '-' + setting).toList();
    private static final List<Long> SETTINGS_BYTES = List.of(64L << 10, 1L << 20, 64L << 20);
    private static final List<Long> CONNECTIONS = List.of(1L, 4L, 8L, 16L, 64L, 256L);
    private static final List<Long> STREAM_BYTES =
            List.of(64L << 10, 256L << 10, 1L << 20, 4L << 20, 16L << 20, 64L << 20);
    private static final List<Long> PLUGIN_BYTES = List.of(64L << 10, 256L << 10, 1L << 20, 4L << 20);
    /** Of NCCL's interface, as C has it. */
    private static final int PLUGIN_VERSION = 11;
    /** Two ends that never sleep leave the compilers of two CPUs little: after a third of it 64 KiB lose a fifth. */
    private static final double STREAM_WARMUP = 24;
    private static final long SMALL_BYTES = 32L << 10;

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers which take part
     */
    public NetBench(Scale scale, Peers peers) {
        super(scale, peers, "NET");
    }

    @Override
    double warmup(String experiment) {
        return experiment.equals(STREAM) || experiment.equals(PLUGIN_STREAM) ? STREAM_WARMUP : super.warmup(experiment);
    }

    @Override
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>(List.of(roundTrips(), streams(), polls()));
        if (peers.has(Job.Program.NET_PLUGIN) && TcpNetPlugin.whyNot().isEmpty()) {
            groups.addAll(plugIns(TcpNetPlugin.library(PLUGIN_VERSION)));
        }
        groups.addAll(allReduces());
        return groups;
    }

    /** One library, called from C and from Java. */
    private List<Group> plugIns(Path library) {
        String option = "net.plugin=" + library;
        List<Long> trips = some(ROUND_TRIP_BYTES);
        List<Long> streams = some(PLUGIN_BYTES);
        String words = ' ' + seconds(1) + ' ' + library;
        return List.of(jobs(PLUGIN_STREAM, BY_SIZE)
                        .peer(Job.Program.NET_PLUGIN, C_PLUGIN, "stream" + words + words(streams))
                        .rig(OURS, rig("netstream", PLUGIN_STREAM, streams, option)).group(PLUGIN_STREAM),
                jobs(PLUGIN_ROUND_TRIP, BY_SIZE)
                        .peer(Job.Program.NET_PLUGIN, C_PLUGIN, "rtt" + words + words(trips))
                        .rig(OURS, rig("netrtt", PLUGIN_ROUND_TRIP, trips, option)).group(PLUGIN_ROUND_TRIP),
                jobs(PLUGIN_CALL, BY_SIZE).peer(Job.Program.NET_PLUGIN, C_PLUGIN, "calls" + words)
                        .rig(OURS, rig("netcalls", PLUGIN_CALL, List.of(1L), option)).group(PLUGIN_CALL));
    }

    private Group roundTrips() {
        List<Long> sizes = some(ROUND_TRIP_BYTES);
        Jobs jobs = jobs(ROUND_TRIP, BY_SIZE).peer(Job.Program.NET, C, "rtt " + seconds(1) + words(sizes))
                .rig(OURS, rig("netrtt", ROUND_TRIP, sizes, ""))
                .rig(OURS + "-nio", rig("netrtt", ROUND_TRIP, sizes, "net.socket.engine=nio"));
        return engines(jobs, ROUND_TRIP, sizes).group(ROUND_TRIP);
    }

    private Group streams() {
        List<Long> sizes = some(STREAM_BYTES);
        Jobs jobs = stream(jobs(STREAM, BY_SIZE), C, "stream", "1 8", sizes)
                .rig(OURS, rig("netstream", STREAM, sizes, ""));
        stream(jobs, C_RENO, "stream-reno", "1 8", sizes);
        stream(jobs, C_TWO, "stream", "2 8", sizes);
        if (scale.isWhole()) {
            engines(stream(jobs, "c-1-buffer", "stream", "1 1", sizes), STREAM, sizes);
        }
        for (String setting : scale.isWhole() ? SETTINGS : List.of(SETTINGS.getLast())) {
            String[] numbers = setting.split("x");
            jobs.rig(OURS + '-' + setting, rig("netstream", STREAM, scale.isWhole() ? SETTINGS_BYTES : sizes,
                    "net.socket.threads=" + numbers[0] + " net.socket.sockets.per.thread=" + numbers[1]));
        }
        return jobs.group(STREAM);
    }

    private Jobs stream(Jobs jobs, String contender, String mode, String socketsAndBuffers, List<Long> sizes) {
        return jobs.peer(Job.Program.NET, contender,
                mode + ' ' + seconds(1) + ' ' + socketsAndBuffers + words(sizes));
    }

    private Jobs engines(Jobs jobs, String mode, List<Long> sizes) {
        String rest = ' ' + mode + ' ' + seconds(1) + words(sizes);
        return jobs.peer(Job.Program.NET_ENGINES, "c-zerocopy", "zerocopy" + rest)
                .peer(Job.Program.NET_ENGINES, C_URING, "uring" + rest);
    }

    private Group polls() {
        List<Long> connections = some(CONNECTIONS);
        return jobs(POLL, BY_SIZE).rig(ONE_BY_ONE, rig("netpoll", POLL, connections, "batch=false"))
                .rig(BATCH, rig("netpoll", POLL, connections, "batch=true")).group(POLL);
    }

    @Override
    void addPeers(Jobs jobs, int ranks, String sizes) {
        jobs.peer(Job.Program.MPI, MPI, ranks + " allreduce " + sizes)
                .peer(Job.Program.GLOO, GLOO, ranks + " " + sizes);
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(Comparison.time("NET, 8 B there and back", ROUND_TRIP, SMALLEST, "rtt_p50", OURS, C),
                Comparison.rate("NET, one way, 1 MiB", STREAM, Long.toString(1 << 20), "gbs", OURS, C_RENO),
                Comparison.time("NET, all_reduce of 2 ranks, 8 B", allReduce(2), SMALLEST, "out_us", OURS, MPI),
                Comparison.time("NET, all_reduce of 2 ranks, 64 KiB", allReduce(2), Long.toString(64 << 10), "out_us",
                        OURS, MPI));
    }

    @Override
    public void fill(Report report) {
        addGoals(report);
        addTables(report);
        addPolls(report);
        addPlugIns(report);
        addAllReduces(report, List.of(MPI, GLOO), List.of("MPI", "Gloo"));
        addPlots(report, "net", MANUAL);
    }

    private static void addGoals(Report report) {
        Experiment streams = report.experiment(STREAM);
        report.atMost("8 bytes there and back: p50 at most 1.25 × that of spinning C", 1.25,
                report.experiment(ROUND_TRIP).ratio(SMALLEST, "rtt_p50", OURS, C), " ×");
        report.atLeast("one way, 64 KiB to 64 MiB: at least the rate of C's chunked stream at each size", 1,
                Worst.of(streams, "gbs", true, OURS, C, size -> true));
        report.atLeast("one way: at least the rate of C's stream without pacing, as ours, at each size", 1,
                Worst.of(streams, "gbs", true, OURS, C_RENO, size -> true));
        addManual(report, streams);
        report.atLeast("one way over a plug-in in C, 64 KiB to 4 MiB: at least 0.95 × its rate from C at each size",
                0.95, Worst.of(report.experiment(PLUGIN_STREAM), "gbs", true, OURS, C_PLUGIN, size -> true));
        for (int ranks : RANKS) {
            Experiment calls = report.experiment(allReduce(ranks));
            for (String peer : List.of(MPI, GLOO)) {
                report.atMost(allReduce(ranks) + ", from 32 KiB on: no slower than " + peer + " at each size", 1,
                        Worst.of(calls, "out_us", false, OURS, peer, size -> size >= SMALL_BYTES));
            }
            report.atMost(allReduce(ranks) + ", below 32 KiB: at most 1.5 × the time of " + MPI + " at each size", 1.5,
                    Worst.of(calls, "out_us", false, OURS, MPI, size -> size < SMALL_BYTES));
        }
    }

    /** The automatic choice over the best by hand, at the size at which it compares worst. */
    private static void addManual(Report report, Experiment streams) {
        double worst = Double.NaN;
        String measured = "";
        for (String size : streams.scenarios()) {
            double best = 0;
            String setting = "";
            for (String contender : MANUAL) {
                double rate = streams.median(size, contender, "gbs");
                setting = rate > best ? contender : setting;
                best = rate > best ? rate : best;
            }
            double ratio = streams.median(size, OURS, "gbs") / best;
            if (best > 0 && !Double.isNaN(ratio) && !(ratio >= worst)) {
                worst = ratio;
                measured = "at worst " + Figures.format(ratio) + " × " + setting + ", at " + Sizes.format(size);
            }
        }
        report.goal(Goal.atLeast("one way: automatic sockets and threads at least 0.9 × the best setting by hand", 0.9,
                worst, measured));
    }

    private static void addTables(Report report) {
        Experiment trips = report.experiment(ROUND_TRIP);
        report.table("rtt", ROUND_TRIP, bySize("µs", trips, trips.contenders(), "rtt_p50", NS_PER_US)
                .column("p99 of " + C, size -> trips.stat(size, C, "rtt_p99").dividedBy(NS_PER_US))
                .column("p99 of ours", size -> trips.stat(size, OURS, "rtt_p99").dividedBy(NS_PER_US))
                .column("ours over C's, p50", size -> trips.ratio(size, "rtt_p50", OURS, C)));
        Experiment streams = report.experiment(STREAM);
        List<String> automatic = new ArrayList<>(streams.contenders());
        automatic.removeAll(MANUAL);
        report.table("stream", STREAM, bySize("GB/s", streams, automatic, "gbs", 1)
                .column("ours over C's, 1 socket", size -> streams.ratio(size, "gbs", OURS, C))
                .column("2 sockets", size -> streams.ratio(size, "gbs", OURS, C_TWO)));
        List<String> manual = new ArrayList<>(streams.contenders());
        manual.retainAll(MANUAL);
        List<String> sizes = streams.scenarios().stream()
                .filter(size -> manual.stream().anyMatch(setting -> streams.isMeasured(size, setting))).toList();
        manual.addFirst(OURS);
        report.table("manual", Table.of("GB/s", sizes, Sizes::format)
                .columns(manual, (size, contender) -> streams.stat(size, contender, "gbs")));
    }

    /** What is gained by asking all connections at once. */
    private static void addPolls(Report report) {
        Experiment polls = report.experiment(POLL);
        Table<String> table = Table.of("connections", polls.scenarios(), connections -> connections);
        addPoll(table, polls, "a pass while nothing comes", "none_ns");
        addPoll(table, polls, "one message", "one_p50");
        addPoll(table, polls, "a message on each", "all_p50");
        report.table("poll", POLL, table);
    }

    private static void addPlugIns(Report report) {
        Experiment streams = report.experiment(PLUGIN_STREAM);
        report.table(PLUGIN_STREAM, PLUGIN_STREAM, bySize("GB/s", streams, streams.contenders(), "gbs", 1)
                .column("ours over C's", size -> streams.ratio(size, "gbs", OURS, C_PLUGIN)));
        Experiment trips = report.experiment(PLUGIN_ROUND_TRIP);
        report.table(PLUGIN_ROUND_TRIP, PLUGIN_ROUND_TRIP,
                bySize("µs", trips, trips.contenders(), "rtt_p50", NS_PER_US)
                        .column("ours over C's, p50", size -> trips.ratio(size, "rtt_p50", OURS, C_PLUGIN)));
        Experiment calls = report.experiment(PLUGIN_CALL);
        report.table(PLUGIN_CALL, PLUGIN_CALL, Table.of("calls", calls.scenarios(), _ -> "test, ns")
                .columns(calls.contenders(), (cell, contender) -> calls.stat(cell, contender, "test_ns")));
    }

    private static void addPoll(Table<String> table, Experiment polls, String what, String metric) {
        table.column(what + ", one by one, µs", cell -> polls.stat(cell, ONE_BY_ONE, metric).dividedBy(NS_PER_US))
                .column("all at once", cell -> polls.stat(cell, BATCH, metric).dividedBy(NS_PER_US))
                .column("gain", cell -> percent(polls.median(cell, ONE_BY_ONE, metric)
                        / polls.median(cell, BATCH, metric) - 1));
    }

    private static String percent(double part) {
        return Double.isNaN(part) ? Figures.format(part) : String.format(Locale.ROOT, "%+d %%", Math.round(100 * part));
    }
}
