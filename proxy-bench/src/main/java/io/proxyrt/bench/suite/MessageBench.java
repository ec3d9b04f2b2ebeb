/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.LinePlot;
import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Sizes;
import io.proxyrt.bench.report.Table;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A benchmark of a transport: rigs and peers by the size of messages, and all-reduce. */
abstract class MessageBench extends Bench {
    /** Messages there and back, one at a time. */
    static final String ROUND_TRIP = "rtt";
    /** Messages one way, several under way. */
    static final String STREAM = "stream";
    /** Numbers of ranks that all-reduce is measured with. */
    static final List<Integer> RANKS = List.of(2, 4);
    static final String SMALLEST = "8";

    static final String BY_SIZE = "by size";
    private static final double WARMUP = 8;
    private static final double ALL_REDUCE_SECONDS = 0.3;

    private final String transport;

    MessageBench(Scale scale, Peers peers, String transport) {
        super(scale, peers);
        this.transport = transport;
    }

    static String allReduce(int ranks) {
        return "all_reduce " + ranks + " ranks";
    }

    /** Adds the peers of an all-reduce. Sizes are the least, the greatest and the factor between them. */
    abstract void addPeers(Jobs jobs, int ranks, String sizes);

    /** Two ranks at many sizes; and, unless it is a smoke run, more ranks than this machine may have cores at a few. */
    final List<Group> allReduces() {
        int two = RANKS.getFirst();
        int four = RANKS.getLast();
        Jobs ofTwo = jobs(allReduce(two), "");
        addAllReduce(ofTwo, two, "to 256 KiB", 8, 256 << 10, 2, scale.calls());
        if (!scale.isWhole()) {
            return List.of(ofTwo.group(allReduce(two)));
        }
        addAllReduce(ofTwo, two, "to 4 MiB", 512 << 10, 4 << 20, 2, 500);
        addAllReduce(ofTwo, two, "from 8 MiB", 8 << 20, 64 << 20, 2, 20);
        Jobs ofFour = jobs(allReduce(four), "");
        addAllReduce(ofFour, four, "to 256 KiB", 512, 256 << 10, 8, 2000);
        addAllReduce(ofFour, four, "from 2 MiB", 2 << 20, 16 << 20, 8, 50);
        return List.of(ofTwo.group(allReduce(two)), ofFour.group(allReduce(four)));
    }

    /** Small ones by themselves: all calls move through memory of the largest size; small ones shall find a cache. */
    private void addAllReduce(Jobs jobs, int ranks, String scenario, int least, int most, int factor, int calls) {
        addPeers(jobs.of(allReduce(ranks), scenario), ranks,
                seconds(ALL_REDUCE_SECONDS) + ' ' + least + ' ' + most + ' ' + factor);
        jobs.add(Job.Program.PERF, OURS, perf("all_reduce", transport, ranks, least, most, factor, calls));
    }

    /** What a rig of ours warms up for, in parts of the scale's. */
    double warmup(String experiment) {
        return WARMUP;
    }

    /** The words of a rig of ours. */
    final String rig(String rig, String experiment, List<Long> sizes, String options) {
        return rig + " pinned=true sizes=" + sizes.stream().map(String::valueOf).collect(Collectors.joining(","))
                + " warmup=" + time(warmup(experiment) * scale.warmup()) + " seconds=" + seconds(1) + ' ' + options;
    }

    static String words(List<Long> sizes) {
        return sizes.stream().map(String::valueOf).collect(Collectors.joining(" ", " ", ""));
    }

    final List<Long> some(List<Long> sizes) {
        return scale.isWhole() ? sizes : List.of(sizes.getFirst(), sizes.get(2));
    }

    /** A row for each size, a column for each contender. */
    static Table<String> bySize(String header, Experiment experiment, List<String> contenders, String metric,
            double units) {
        return Table.of(header, Sizes.sorted(experiment.scenarios()), Sizes::format).columns(contenders,
                (size, contender) -> experiment.stat(size, contender, metric).dividedBy(units));
    }

    /** Times, and those of peers over ours. */
    static void addAllReduces(Report report, List<String> peers, List<String> names) {
        for (int ranks : RANKS) {
            Experiment calls = report.experiment(allReduce(ranks));
            Table<String> table = bySize("µs, out of place", calls, calls.contenders(), "out_us", 1)
                    .column("ours in place", size -> calls.stat(size, OURS, "in_us"))
                    .column("MPI in place", size -> calls.stat(size, MPI, "in_us"));
            for (int i = 0; i < peers.size(); i++) {
                String peer = peers.get(i);
                table.column(names.get(i) + "'s over ours", size -> 1 / calls.ratio(size, "out_us", OURS, peer));
            }
            report.table(allReduce(ranks), allReduce(ranks), table);
        }
    }

    /** The plots that the pages of all transports have. */
    static void addPlots(Report report, String page, List<String> leftOut) {
        Experiment roundTrips = report.experiment(ROUND_TRIP);
        report.plot(page + "-round-trips.svg", LinePlot.bySize("Messages there and back",
                "µs, median, less is better", roundTrips, roundTrips.contenders(),
                (size, contender) -> roundTrips.median(size, contender, "rtt_p50") / NS_PER_US));
        Experiment streams = report.experiment(STREAM);
        List<String> contenders = new ArrayList<>(streams.contenders());
        contenders.removeAll(leftOut);
        report.plot(page + "-streams.svg", LinePlot.bySize("Messages one way", "GB/s, more is better", streams,
                contenders, (size, contender) -> streams.median(size, contender, "gbs")));
        for (int ranks : RANKS) {
            Experiment calls = report.experiment(allReduce(ranks));
            report.plot(page + "-all-reduce-" + ranks + ".svg", LinePlot.bySize("All-reduce of " + ranks + " ranks,"
                    + " out of place", "µs, less is better", calls, calls.contenders(),
                    (size, contender) -> calls.median(size, contender, "out_us")));
        }
    }
}
