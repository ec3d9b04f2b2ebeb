/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import io.proxyrt.bench.report.Report;
import io.proxyrt.bench.report.Worst;
import io.proxyrt.bench.run.Experiment;
import io.proxyrt.bench.run.Group;
import io.proxyrt.bench.run.Job;
import io.proxyrt.bench.run.Peers;
import io.proxyrt.bench.run.Scale;
import io.proxyrt.core.device.DeviceConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The SHM transport, and all-reduce over it. */
public final class ShmBench extends MessageBench {
    /** The peers that take part. */
    public static final List<Job.Program> PROGRAMS =
            List.of(Job.Program.COPIES, Job.Program.MPI_SHM, Job.Program.UCX, Job.Program.PERF);

    /** As streams, each message of a window from and to a place of its own. */
    static final String APART = "stream-apart";
    /** From kernel to kernel, by LL. */
    static final String LL = OURS + "-ll";
    /** The same, by LL128. */
    static final String LL128 = OURS + "-ll128";
    /** The same, by Simple. */
    static final String SIMPLE = OURS + "-simple";
    /** Messages of a communicator, right from and to memory that it allocated. */
    static final String REGISTERED = OURS + "-registered";
    /** UCX with its posix transport. */
    static final String UCX = "ucx";

    /** Steps that a proxy copies, one way. */
    private static final String COPY_ENGINE = "copy-engine";
    /** One thread's memcpy in C. */
    private static final String C_COPY = "c-memcpy";
    /** The copies of one thread that does nothing else. */
    private static final String ONE_COPY = "one-thread";

    private static final String COMMUNICATOR = "coll.transport=SHM proxyrt.threading=invoker ";
    private static final List<Long> ROUND_TRIP_BYTES = List.of(8L, 64L, 512L, 4L << 10);
    private static final List<Long> COPY_BYTES = List.of(16L << 10, 64L << 10, 128L << 10, 512L << 10);
    private static final int COPY_SLOTS = DeviceConnection.STEPS;
    private static final int COPY_SLOT_BYTES = 512 << 10;
    private static final List<Long> STREAM_BYTES = List.of(64L << 10, 256L << 10, 512L << 10, 1L << 20, 4L << 20);
    private static final double ROUND_TRIP_EXCHANGES = 1.25;
    private static final double ALL_REDUCE_EXCHANGES = 2;
    private static final double UCX_ROUND_TRIPS = 1e6;
    private static final double UCX_STREAM_BYTES = 5e9;

    /**
     * The benchmark.
     *
     * @param scale how long
     * @param peers which take part
     */
    public ShmBench(Scale scale, Peers peers) {
        super(scale, peers, "SHM");
    }

    @Override
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>(List.of(roundTrips(), streams(), streamsApart(), copies()));
        groups.addAll(allReduces());
        return groups;
    }

    private Group roundTrips() {
        List<Long> sizes = some(ROUND_TRIP_BYTES);
        Jobs jobs = mpi(ROUND_TRIP, "rtt", sizes)
                .rig(LL, rig("shmrtt", ROUND_TRIP, sizes, "protocol=ll"))
                .rig(LL128, rig("shmrtt", ROUND_TRIP, sizes, "protocol=ll128"))
                .rig(SIMPLE, rig("shmrtt", ROUND_TRIP, sizes, "protocol=simple"));
        addUcx(jobs, "tag_lat", UCX_ROUND_TRIPS, 0, sizes);
        return jobs.rig(OURS, rig("commrtt", ROUND_TRIP, sizes, COMMUNICATOR + "registered=false apart=false"))
                .group(ROUND_TRIP);
    }

    private Group streams() {
        List<Long> sizes = some(STREAM_BYTES);
        Jobs jobs = mpi(STREAM, "stream", sizes).rig(OURS, stream(STREAM, sizes, "registered=false apart=false"));
        addUcx(jobs, "tag_bw", 0, UCX_STREAM_BYTES, sizes);
        return jobs.rig(REGISTERED, stream(STREAM, sizes, "registered=true apart=false"))
                .peer(Job.Program.COPIES, C_COPY, seconds(1) + " 1 0" + words(sizes)).group(STREAM);
    }

    /** UCX's programs have no such window. */
    private Group streamsApart() {
        List<Long> sizes = some(STREAM_BYTES);
        return mpi(APART, "apart", sizes).rig(OURS, stream(APART, sizes, "registered=false apart=true"))
                .rig(REGISTERED, stream(APART, sizes, "registered=true apart=true")).group(APART);
    }

    /** With slots that the largest step fits into. */
    private Group copies() {
        List<Long> sizes = some(COPY_BYTES);
        String options = " shm.use.memcpy=1 buffer.bytes=" + COPY_SLOTS * COPY_SLOT_BYTES;
        return jobs(COPY_ENGINE, BY_SIZE).rig(OURS, rig("shmcopy", COPY_ENGINE, sizes, "alone=false" + options))
                .rig(OURS + "-by-thread", rig("shmcopy", COPY_ENGINE, sizes,
                        "alone=false" + options + " shm.cpu.copy.bytes=" + (1 << 30)))
                .rig(ONE_COPY, rig("shmcopy", COPY_ENGINE, sizes, "alone=true" + options))
                .peer(Job.Program.COPIES, C_COPY,
                        seconds(1) + ' ' + COPY_SLOTS + ' ' + COPY_SLOT_BYTES + words(sizes)).group(COPY_ENGINE);
    }

    private Jobs mpi(String experiment, String mode, List<Long> sizes) {
        return jobs(experiment, BY_SIZE).peer(Job.Program.MPI_SHM, MPI, "2 " + mode + ' ' + seconds(1) + words(sizes));
    }

    private String stream(String experiment, List<Long> sizes, String which) {
        return rig("commstream", experiment, sizes, COMMUNICATOR + which);
    }

    /** Each size with how many messages, or bytes, of it, a part of what a whole run takes. */
    private void addUcx(Jobs jobs, String test, double messages, double bytes, List<Long> sizes) {
        jobs.peer(Job.Program.UCX, UCX, test + sizes.stream()
                .map(size -> " " + size + ' ' + (1 + (long) ((messages + bytes / size) * scale.seconds())))
                .collect(Collectors.joining()));
    }

    @Override
    void addPeers(Jobs jobs, int ranks, String sizes) {
        jobs.peer(Job.Program.MPI_SHM, MPI, ranks + " allreduce " + sizes);
    }

    @Override
    public List<Comparison> comparisons() {
        String large = Long.toString(512 << 10);
        return List.of(Comparison.time("SHM, 8 B to a kernel and back", ROUND_TRIP, SMALLEST, "rtt_p50", LL, MPI),
                Comparison.rate("SHM, one way, 512 KiB", STREAM, large, "gbs", OURS, MPI),
                Comparison.rate("SHM, one way, 512 KiB", STREAM, large, "gbs", OURS, UCX),
                Comparison.time("SHM, all_reduce of 2 ranks, 8 B", allReduce(2), SMALLEST, "out_us", OURS, MPI),
                Comparison.time("SHM, all_reduce of 2 ranks, 64 KiB", allReduce(2), Long.toString(64 << 10), "out_us",
                        OURS, MPI));
    }

    @Override
    public void fill(Report report) {
        addRoundTripGoals(report);
        addStreamGoals(report);
        addCopyGoals(report, "one thread's memcpy in C", C_COPY);
        addCopyGoals(report, "one thread's copies in Java", ONE_COPY);
        for (int ranks : RANKS) {
            report.atMost(allReduce(ranks) + ", from 4 KiB on: no slower than Open MPI at each size", 1,
                    Worst.of(report.experiment(allReduce(ranks)), "out_us", false, OURS, MPI, size -> size >= 4 << 10));
        }
        report.exchanges("all_reduce 2 ranks, 8 B", ALL_REDUCE_EXCHANGES, allReduce(2),
                report.experiment(allReduce(2)).median(SMALLEST, OURS, "out_us") * NS_PER_US, "");
        addTables(report);
        addAllReduces(report, List.of(MPI), List.of("MPI"));
        addPlots(report, "shm", List.of());
    }

    private static void addRoundTripGoals(Report report) {
        Experiment trips = report.experiment(ROUND_TRIP);
        double best = trips.least(List.of(SMALLEST), List.of(LL, LL128, SIMPLE), "rtt_p50");
        double peers = trips.least(List.of(SMALLEST), List.of(MPI, UCX), "rtt_p50");
        report.exchanges("8 bytes to a kernel and back, by the best protocol, p50", ROUND_TRIP_EXCHANGES, ROUND_TRIP,
                best, "");
        report.atMost("the same: no slower than the better of UCX and Open MPI", 1, best / peers, " × its time");
    }

    private static void addStreamGoals(Report report) {
        for (String ours : List.of(OURS, REGISTERED)) {
            report.atLeast("one way, " + ours + ", 64 KiB to 4 MiB: at least the rate of the better of UCX and Open"
                    + " MPI at each size", 1,
                    Worst.ofBest(report.experiment(STREAM), "gbs", ours, List.of(MPI, UCX)));
        }
        for (String ours : List.of(OURS, REGISTERED)) {
            report.atLeast("one way from places of their own, " + ours + ", 64 KiB to 4 MiB: at least the rate of Open"
                    + " MPI at each size", 1,
                    Worst.of(report.experiment(APART), "gbs", true, ours, MPI, size -> true));
        }
    }

    private static void addCopyGoals(Report report, String what, String contender) {
        report.atLeast("one way, copied by the proxy, 64 KiB to 512 KiB: at least 0.9 × the rate of " + what, 0.9,
                Worst.of(report.experiment(COPY_ENGINE), "gbs", true, OURS, contender, size -> size >= 64 << 10));
    }

    private static void addTables(Report report) {
        Experiment trips = report.experiment(ROUND_TRIP);
        report.table("rtt", ROUND_TRIP, bySize("µs", trips, trips.contenders(), "rtt_p50", NS_PER_US)
                .column("p99 of " + LL, size -> trips.stat(size, LL, "rtt_p99").dividedBy(NS_PER_US))
                .column("p99 of " + MPI, size -> trips.stat(size, MPI, "rtt_p99").dividedBy(NS_PER_US)));
        Experiment streams = report.experiment(STREAM);
        report.table("stream", STREAM, bySize("GB/s", streams, streams.contenders(), "gbs", 1)
                .column("ours over MPI's", size -> streams.ratio(size, "gbs", OURS, MPI))
                .column("over UCX's", size -> streams.ratio(size, "gbs", OURS, UCX))
                .column("registered over MPI's", size -> streams.ratio(size, "gbs", REGISTERED, MPI)));
        Experiment apart = report.experiment(APART);
        report.table("stream-apart", APART, bySize("GB/s", apart, apart.contenders(), "gbs", 1)
                .column("ours over MPI's", size -> apart.ratio(size, "gbs", OURS, MPI))
                .column("registered over MPI's", size -> apart.ratio(size, "gbs", REGISTERED, MPI)));
        Experiment copies = report.experiment(COPY_ENGINE);
        report.table("copy-engine", COPY_ENGINE, bySize("GB/s", copies, copies.contenders(), "gbs", 1)
                .column("ours over one thread's", size -> copies.ratio(size, "gbs", OURS, ONE_COPY))
                .column("over C's", size -> copies.ratio(size, "gbs", OURS, C_COPY)));
    }
}
