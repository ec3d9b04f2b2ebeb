/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Figures;
import io.proxyrt.bench.report.LinePlot;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Sizes;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Sample;
import io.proxyrt.bench.run.Scale;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** GPUs: a proxy's turn, and what two ranks get over each transport. */
public final class GpuBench extends Bench {
    static final String PING_PONG = "ping-pong";
    /** From one rank to the other. */
    static final String ONE_WAY = "one-way";
    /** Both ranks send and receive. */
    static final String BOTH_WAYS = "both-ways";
    /** Sums of floats. */
    static final String ALL_REDUCE = "all_reduce";
    /** The beginning of the names of NCCL's. */
    static final String NCCL = "nccl";

    /** The bus between a GPU and its host takes about ten times what two CPUs take. */
    private static final double TURN_EXCHANGES = 10;
    private static final String BY_SIZE = "by size";
    private static final List<String> PAUSES = List.of("looks at once", "first look after 350 ns");
    private static final Map<String, String> TITLES = titles();
    private static final String LARGEST = Long.toString(256L << 20);
    private static final int FACTOR = 4;

    private final String kind;
    private final int gpus;
    private final List<Sample> beside;
    private final Supplier<String> devices;

    /**
     * The benchmark.
     *
     * @param scale   how long
     * @param peers   none is needed
     * @param kind    of the devices
     * @param gpus    how many take part, 1 or 2
     * @param beside  figures of NCCL's
     * @param devices says what they are, for people
     */
    public GpuBench(Scale scale, Peers peers, String kind, int gpus, List<Sample> beside, Supplier<String> devices) {
        super(scale, peers);
        this.kind = kind;
        this.gpus = gpus;
        this.beside = beside;
        this.devices = devices;
    }

    private static Map<String, String> titles() {
        Map<String, String> titles = new LinkedHashMap<>();
        titles.put(ONE_WAY, "Messages one way");
        titles.put(BOTH_WAYS, "Messages both ways, of one direction");
        titles.put(ALL_REDUCE, "All-reduce of two ranks");
        return titles;
    }

    @Override
    public List<Group> groups() {
        String pingPong = "gpupingpong device=" + kind + " rounds=" + (scale.isWhole() ? 20_000 : 200) + " pause=";
        List<Group> groups = new ArrayList<>();
        groups.add(jobs(PING_PONG, PAUSES.getFirst()).rig(OURS, pingPong + 0).of(PING_PONG, PAUSES.getLast())
                .rig(OURS, pingPong + 350).group(PING_PONG));
        for (String call : TITLES.keySet()) {
            Jobs jobs = jobs(call, BY_SIZE).rig(OURS + "-p2p", words(call) + "coll.transport=P2P");
            if (isOnTwo()) {
                jobs.rig(OURS + "-p2p_ce", words(call) + "coll.transport=P2P p2p.use.memcpy=1");
            }
            groups.add(jobs.rig(OURS + "-shm", words(call) + "coll.transport=SHM")
                    .rig(OURS + "-net", words(call) + "coll.transport=NET net.socket.ifname=lo").group(call));
        }
        return groups;
    }

    /** Within one GPU no copy engine copies, and NCCL has no two ranks on one. */
    private boolean isOnTwo() {
        return gpus > 1;
    }

    private String words(String call) {
        List<String> sizes = new ArrayList<>();
        for (long bytes = 1 << 10; bytes <= (scale.isWhole() ? 256L << 20 : 64 << 10); bytes *= FACTOR) {
            sizes.add(Long.toString(bytes));
        }
        return "gpucomm call=" + call + " device=" + kind + " gpus=" + gpus + " warmup="
                + (scale.isWhole() ? 1000 : 1) + " calls=" + (scale.isWhole() ? 200 : 4) + " sizes="
                + String.join(",", sizes) + ' ';
    }

    @Override
    public void fill(Report report) {
        beside.forEach(report::add);
        report.text("devices", devices.get() + (isOnTwo() ? "" : ". Two ranks share it, as threads of one process;"
                + " what takes two GPUs is left out: P2P's copy engine, and the goals beside NCCL."));
        Experiment turns = report.experiment(PING_PONG);
        report.exchanges("a kernel's word to a thread and back, by the better way to look, p50", TURN_EXCHANGES,
                PING_PONG, turns.least(PAUSES, List.of(OURS), "rtt_p50"), "");
        if (isOnTwo()) {
            addGoal(report, ONE_WAY, "-net");
            addGoal(report, ONE_WAY, "-shm");
            addGoal(report, ONE_WAY, "-p2p_ce");
            addGoal(report, ALL_REDUCE, "-shm");
            addGoal(report, ALL_REDUCE, "-net");
        }
        report.table("ping-pong", Table.of("µs", turns.scenarios(), way -> way)
                .columns(List.of("mean", "p50", "p99", "p99.9"),
                        (way, figure) -> turns.stat(way, OURS, "rtt_" + figure).dividedBy(NS_PER_US)));
        TITLES.forEach((call, title) -> {
            Experiment calls = report.experiment(call);
            addTable(report, call, calls, "gbs", "GB/s");
            addTable(report, call, calls, "us", "µs");
            report.plot("gpu-" + call.replace('_', '-') + ".svg", LinePlot.bySize(title, "GB/s, more is better", calls,
                    calls.contenders(), (size, contender) -> calls.median(size, contender, "gbs")));
        });
    }

    /** Beside NCCL by the same way, with one setting or another. */
    private static void addGoal(Report report, String call, String way) {
        Experiment calls = report.experiment(call);
        double ours = calls.median(LARGEST, OURS + way, "gbs");
        double nccl = calls.contenders().stream().filter(who -> who.startsWith(NCCL + way))
                .filter(who -> who.endsWith("_ce") == way.endsWith("_ce"))
                .mapToDouble(who -> calls.median(LARGEST, who, "gbs")).max().orElse(Double.NaN);
        report.atLeast(call + ", " + OURS + way + ", 256 MiB: at least the rate of NCCL's by the same way", 1,
                ours / nccl, " × (" + Figures.format(ours, "GB/s") + ")");
    }

    private static void addTable(Report report, String call, Experiment calls, String metric, String unit) {
        report.table(call + ' ' + metric, Table.of(unit, Sizes.sorted(calls.scenarios()), Sizes::format)
                .columns(calls.contenders(), (size, contender) -> calls.stat(size, contender, metric)));
    }
}
