/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.BarPlot;
import io.proxyrt.bench.report.Figures;
import io.proxyrt.bench.report.Goal;
import io.proxyrt.bench.report.Names;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.rig.AttackRig;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.ArrayList;
import java.util.List;

/** The control plane: calls to the service thread, and descriptors. */
public final class RpcBench extends Bench {
    /** The peers that take part. */
    public static final List<Job.Program> PROGRAMS = List.of(Job.Program.ROUND_TRIP, Job.Program.ATTACKED);

    /** A call of 64 bytes and its answer. */
    static final String CALL = "call";
    /** A descriptor of memory. */
    static final String GET_FD = "getfd";
    /** Calls by futures. */
    static final String ASYNC = "async";
    /** Many connections at once. */
    static final String SET_UP = "setup";
    /** A Setup that cannot be answered. */
    static final String PENDING = "pending";
    /** A runtime that does nothing. */
    static final String RUNTIME = "runtime";
    /** A good client among bad ones. */
    static final String ATTACK = "attack";

    /** A JVM from its start to steady collectives. */
    static final String COLD = "cold start";

    static final String TCP = "TCP";
    static final String UNIX = "Unix socket";
    static final String DESCRIPTOR = "one descriptor";

    /** A client that blocks and a server that sleeps in poll(), in C. */
    static final String C_POLL = "c-poll";
    /** Both ends look again and again, in C. */
    static final String C_SPIN = "c-spin";
    /** A call as NCCL's and RCCL's proxies write it, in C. */
    static final String C_NCCL = "c-nccl";
    /** Added to the name of one whose ends the scheduler places. */
    static final String UNPINNED = "-unpinned";
    /** Added to the name of ours where both ends spin. */
    static final String SPIN = "-spin";
    /** Added to the name of ours whose service thread sleeps at once. */
    static final String PARKING = "-parking";
    static final String TLS = "-tls";
    /** Added to the name of ours with an AOT cache. */
    static final String AOT = "-aot";
    /** Ours over the sockets of the library junixsocket. */
    static final String JUNIX = OURS + "-junix";
    /** Ours over the platform's own sockets. */
    static final String NATIVE = OURS + "-native";

    private static final double SECONDS = 2;
    private static final double COLD_SECONDS = 12;
    private static final int CONNECTIONS = 1_000;
    private static final int CLIENTS = 8;
    private static final int WINDOW = 256;
    private static final double ATTACKERS_SHARE = 0.1;
    private static final String UNIX_SOCKET = " rpc.listen=unix";
    private static final String SPINNING = " rpc.spin=1s uds.spin=1s control.linger=1s";
    private static final List<String> TAIL = List.of("p50", "p99", "p99.9");

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers which take part
     */
    public RpcBench(Scale scale, Peers peers) {
        super(scale, peers);
    }

    @Override
    public List<String> libraries() {
        return List.of("HdrHistogram", "Netty", "junixsocket");
    }

    @Override
    public List<Group> groups() {
        return List.of(tcp(), unix(), descriptors(), cold(), rest());
    }

    /** Long enough for the compilers to be done with it. */
    private Group cold() {
        String time = " seconds=" + seconds(scale.isWhole() ? COLD_SECONDS : 1);
        Jobs jobs = jobs(COLD, COLD);
        for (String transport : List.of("SHM", "NET")) {
            String words = time + " coll.transport=" + transport;
            jobs.of(COLD, "2 ranks, " + transport).rig(OURS, "cold aot=false" + words)
                    .rig(OURS + AOT, "cold aot=true" + words);
        }
        return jobs.group(COLD);
    }

    private Group tcp() {
        Jobs jobs = jobs(CALL, TCP);
        c(jobs, C_POLL, "tcp poll");
        ours(jobs, OURS, "call tls=false", "");
        c(jobs, C_SPIN, "tcp spin");
        ours(jobs, OURS + SPIN, "call tls=false", SPINNING);
        c(jobs, C_NCCL, "tcp nccl");
        if (scale.isWhole()) {
            ours(jobs, OURS + TLS, "call tls=true", "");
            ours(jobs, OURS + PARKING, "call tls=false", " control.linger=0");
            c(jobs, C_POLL + UNPINNED, "tcp poll");
            ours(jobs, OURS + UNPINNED, "call tls=false", "");
        }
        return jobs.group(CALL + ", " + TCP);
    }

    private Group unix() {
        Jobs jobs = jobs(CALL, UNIX);
        c(jobs, C_POLL, "unix poll");
        ours(jobs, OURS, "call tls=false", UNIX_SOCKET);
        if (scale.isWhole()) {
            c(jobs, C_SPIN, "unix spin");
            ours(jobs, OURS + SPIN, "call tls=false", SPINNING + UNIX_SOCKET);
        }
        return jobs.group(CALL + ", " + UNIX);
    }

    private Group descriptors() {
        Jobs jobs = jobs(GET_FD, DESCRIPTOR);
        String junix = "getfd uds.sockets=junixsocket";
        String platform = "getfd uds.sockets=native";
        c(jobs, C_POLL, "fd poll");
        ours(jobs, JUNIX, junix, "");
        if (scale.isWhole()) {
            ours(jobs, NATIVE, platform, "");
        }
        c(jobs, C_SPIN, "fd spin");
        if (scale.isWhole()) {
            ours(jobs, JUNIX + SPIN, junix, SPINNING);
        }
        ours(jobs, NATIVE + SPIN, platform, SPINNING);
        if (scale.isWhole()) {
            c(jobs, C_POLL + UNPINNED, "fd poll");
            ours(jobs, JUNIX + UNPINNED, junix, "");
        }
        return jobs.group(GET_FD);
    }

    private Group rest() {
        String look = "warmup=" + scale.runtime() + " seconds=" + 2 * scale.runtime();
        String attack = "attack share=" + ATTACKERS_SHARE + times() + " peer=";
        Jobs jobs = jobs(ASYNC, "window of " + WINDOW).rig(OURS, "async window=" + WINDOW + times())
                .of(SET_UP, CLIENTS + " clients")
                .rig(OURS, "setup clients=" + CLIENTS + " connections=" + CONNECTIONS)
                .of(PENDING, "one Setup").rig(OURS, "pending " + look)
                .of(RUNTIME, "idle").rig("DEDICATED", "runtime mode=DEDICATED " + look)
                .of(ATTACK, "both").rig(OURS, attack);
        if (peers.has(Job.Program.ATTACKED)) {
            jobs.rig(C_POLL, attack + peers.path(Job.Program.ATTACKED));
        }
        return jobs.group("the others");
    }

    private void ours(Jobs jobs, String contender, String rig, String options) {
        jobs.rig(contender, rig + " pinned=" + !contender.endsWith(UNPINNED) + times() + options);
    }

    private void c(Jobs jobs, String contender, String words) {
        jobs.peer(Job.Program.ROUND_TRIP, contender,
                words + ' ' + seconds(SECONDS) + (contender.endsWith(UNPINNED) ? " unpinned" : ""));
    }

    private String times() {
        return " warmup=" + time(2.5 * scale.warmup()) + " seconds=" + seconds(SECONDS);
    }

    @Override
    public List<Comparison> comparisons() {
        return List.of(Comparison.time("a blocking call over TCP", CALL, TCP, "rtt_p50", OURS, C_POLL),
                Comparison.time("the same, both ends spinning", CALL, TCP, "rtt_p50", OURS + SPIN, C_SPIN),
                Comparison.time("GetFd, both ends spinning", GET_FD, DESCRIPTOR, "rtt_p50", NATIVE + SPIN, C_SPIN));
    }

    @Override
    public void fill(Report report) {
        addRoundTripGoals(report);
        double callNs = report.experiment(CALL).median(TCP, OURS, "rtt_p50");
        double callsPerS = first(report, ASYNC, "calls_per_s");
        report.atLeast("asynchronous calls through one service thread: at least 5 × as many as one caller's blocking"
                + " ones", 5, callsPerS * callNs / 1e9, " × (" + Figures.format(callsPerS) + "/s)");
        double setUpMs = first(report, SET_UP, "first_ms");
        report.atMost("1,000 connections set up by 8 clients at once, in a fresh JVM: each in the time of 30 blocking"
                + " calls", 30, setUpMs * 1e6 / CONNECTIONS / callNs,
                " (all in " + Figures.format(setUpMs, "ms") + ")");
        report.atMost("the service thread while a Setup is pending: less than 2 % of a core", 2,
                first(report, PENDING, "cpu_pct"), " %");
        addAttackGoal(report, AttackRig.BACK_TO_BACK);
        addAttackGoal(report, AttackRig.PAUSING);
        BarPlot plot = new BarPlot("Round trips", "µs, median, less is better", true);
        for (String wire : List.of(TCP, UNIX)) {
            addRoundTrips(report, plot, CALL, wire, "call " + wire, "A call of 64 bytes, " + wire);
        }
        addRoundTrips(report, plot, GET_FD, DESCRIPTOR, "getfd", "GetFd, " + DESCRIPTOR);
        report.plot("rpc-round-trips.svg", plot);
        addMany(report);
        addCold(report);
        addCpu(report);
        addAttacks(report);
    }

    private static void addRoundTripGoals(Report report) {
        roundTrip(report, "a blocking call over TCP: p50 at most 1.3 × that of C's poll() server", 1.3, CALL, TCP,
                OURS, C_POLL);
        roundTrip(report, "a blocking call over TCP, both ends spinning: p50 at most 2 × that of C", 2, CALL, TCP,
                OURS + SPIN, C_SPIN);
        for (String sockets : List.of(JUNIX, NATIVE)) {
            roundTrip(report, "GetFd, " + sockets + ": p50 at most 2 × that of C's exchange, poll() server", 2, GET_FD,
                    DESCRIPTOR, sockets, C_POLL);
            roundTrip(report, "GetFd, " + sockets + ", both ends spinning: p50 at most 2 × that of C", 2, GET_FD,
                    DESCRIPTOR, sockets + SPIN, C_SPIN);
        }
    }

    private static void roundTrip(Report report, String goal, double bound, String experiment, String cell,
            String ours, String peer) {
        double our = report.experiment(experiment).median(cell, ours, "rtt_p50");
        double theirs = report.experiment(experiment).median(cell, peer, "rtt_p50");
        report.goal(Goal.atMost(goal, bound, our / theirs,
                Figures.format(our / theirs) + " × (" + micros(our) + ", C " + micros(theirs) + ')'));
    }

    private static void addAttackGoal(Report report, String pace) {
        Experiment attack = report.experiment(ATTACK);
        double undisturbed = attack.median(AttackRig.UNDISTURBED + pace, OURS, "rtt_p99");
        double attacked = attack.median(AttackRig.ATTACKED + pace, OURS, "rtt_p99");
        double c = attack.median(AttackRig.ATTACKED + pace, C_POLL, "rtt_p99");
        String peer = Double.isNaN(c) ? "" : "; C " + micros(c) + ", undisturbed "
                + micros(attack.median(AttackRig.UNDISTURBED + pace, C_POLL, "rtt_p99"));
        report.goal(Goal.atMost("a good client's calls under attack" + pace
                + ": p99 at most 3 × that of undisturbed", 3, attacked / undisturbed,
                Figures.format(attacked / undisturbed) + " × (" + micros(attacked) + ", undisturbed "
                        + micros(undisturbed) + peer + ')'));
    }

    private static String micros(double ns) {
        return Figures.format(ns / NS_PER_US, "µs");
    }

    /** Of an experiment with one cell and one contender. */
    private static double first(Report report, String name, String metric) {
        Experiment experiment = report.experiment(name);
        return experiment.scenarios().isEmpty() ? Double.NaN
                : experiment.median(experiment.scenarios().getFirst(), experiment.contenders().getFirst(), metric);
    }

    /** A row for each contender, with the ratio to the C peer that waits, and is placed, as it is. */
    private static void addRoundTrips(Report report, BarPlot plot, String experiment, String cell, String name,
            String title) {
        Experiment trips = report.experiment(experiment);
        report.table(name, Table.of("µs", trips.contenders(cell), Names::bold).column("how", RpcBench::how)
                .columns(TAIL, (contender, p) -> trips.stat(cell, contender, "rtt_" + p).dividedBy(NS_PER_US))
                .column("p50 over C's", contender -> trips.median(cell, contender, "rtt_p50")
                        / trips.median(cell, peer(contender), "rtt_p50")));
        plot.panel(title, trips.contenders(cell),
                contender -> trips.stat(cell, contender, "rtt_p50").dividedBy(NS_PER_US));
    }

    private static String peer(String contender) {
        return contender.endsWith(UNPINNED) ? C_POLL + UNPINNED : contender.endsWith(SPIN) ? C_SPIN : C_POLL;
    }

    /** How the two ends of a round trip wait. */
    static String how(String contender) {
        if (contender.endsWith(UNPINNED)) {
            return how(contender.substring(0, contender.length() - UNPINNED.length())) + ", placed by the scheduler";
        }
        return switch (contender) {
            case C_POLL -> "client blocks, server in poll()";
            case C_NCCL -> "6 sends, 2 answers; client spins, server in poll()";
            case OURS + PARKING -> "client blocks, service thread sleeps at once";
            case OURS + TLS -> "defaults, TLS";
            case JUNIX -> "defaults, junixsocket";
            case NATIVE -> "defaults, platform's sockets";
            case JUNIX + SPIN -> "both ends spin, junixsocket";
            case NATIVE + SPIN -> "both ends spin, platform's sockets";
            default -> contender.endsWith(SPIN) ? "both ends spin" : "defaults";
        };
    }

    private static void addMany(Report report) {
        List<List<?>> rows = new ArrayList<>();
        Experiment async = report.experiment(ASYNC);
        async.scenarios().forEach(cell -> rows.add(List.of("asynchronous calls/s, " + cell,
                async.stat(cell, OURS, "calls_per_s"))));
        Experiment setUp = report.experiment(SET_UP);
        for (String cell : setUp.scenarios()) {
            rows.add(List.of("1,000 connections set up, " + cell + ", fresh JVM, ms",
                    setUp.stat(cell, OURS, "first_ms")));
            rows.add(List.of("the same once more, ms", setUp.stat(cell, OURS, "again_ms")));
        }
        report.table("many", Table.ofRows(List.of("what", "measured"), rows));
    }

    private static void addCold(Report report) {
        Experiment cold = report.experiment(COLD);
        List<List<?>> rows = new ArrayList<>();
        for (String cell : cold.scenarios()) {
            for (String who : cold.contenders(cell)) {
                List<Object> row = new ArrayList<>(List.of(cell, Names.bold(who)));
                List.of("boot_ms", "first_ms", "steady_ms", "steady_us", "train_ms", "cache_mb")
                        .forEach(metric -> row.add(cold.stat(cell, who, metric)));
                rows.add(row);
            }
        }
        report.table("cold", COLD, Table.ofRows(List.of("ranks", "who", "JVM's start to `main`, ms",
                "`main` to the first all_reduce done, ms", "to within 1.5 × of the last, ms", "the last, µs",
                "making the cache, ms", "its size, MB"), rows));
    }

    private static void addCpu(Report report) {
        List<List<?>> rows = new ArrayList<>();
        Experiment pending = report.experiment(PENDING);
        pending.scenarios().forEach(cell -> rows.add(List.of("the service thread, " + cell + " pending",
                pending.stat(cell, OURS, "cpu_pct"), "1")));
        Experiment runtime = report.experiment(RUNTIME);
        runtime.contenders().forEach(mode -> rows.add(List.of("a whole runtime, idle, " + mode,
                runtime.stat("idle", mode, "cpu_pct"), runtime.stat("idle", mode, "threads"))));
        report.table("cpu", Table.ofRows(List.of("what", "CPU, % of a core", "threads"), rows));
    }

    private static void addAttacks(Report report) {
        Experiment attack = report.experiment(ATTACK);
        List<List<?>> rows = new ArrayList<>();
        for (String cell : attack.scenarios()) {
            for (String who : attack.contenders()) {
                List<Object> row = new ArrayList<>(List.of(cell, Names.bold(who)));
                List.of("p50", "p99", "p99.9", "max").forEach(p ->
                        row.add(attack.stat(cell, who, "rtt_" + p).dividedBy(NS_PER_US)));
                row.add(attack.stat(cell, who, "attacks_per_s"));
                row.add(attack.stat(cell, who, "company_cpu_pct"));
                rows.add(row);
            }
        }
        report.table("attack", Table.ofRows(List.of("µs", "who", "p50", "p99", "p99.9", "max", "attacks/s",
                "CPU of the company, %"), rows));
    }
}
