/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Which measurements are made of the NET transport: its socket network, and all-reduce over it. */
public final class NetPlan extends MessagePlan {
    /** Messages there and back, one at a time. */
    public static final String ROUND_TRIP = "rtt";
    /** Messages one way, several in flight. */
    public static final String STREAM = "stream";
    /** Many connections that wait, asked one by one or all at once; cells are their number. */
    public static final String POLL = "poll";
    /** Ours with the JDK's channels alone. */
    public static final String NIO = OURS + "-nio";
    /** Ours, each connection asked for itself. */
    public static final String ONE_BY_ONE = OURS + "-one-by-one";
    /** Ours, all connections asked at once. */
    public static final String BATCH = OURS + "-batch";
    /** One socket each way, in C. */
    public static final String C = "c-1-socket";
    /** One socket without pacing, in C. */
    public static final String C_RENO = "c-1-reno";
    /** Parts over two sockets, in C. */
    public static final String C_TWO = "c-2-sockets";
    /** One socket, and each message from and to the same place, in C. */
    public static final String C_ONE_PLACE = "c-1-buffer";
    /** Sends of memory that the kernel does not copy, if it can help it, in C. */
    public static final String C_ZERO_COPY = "c-zerocopy";
    /** Operations of an io_uring, in C. */
    public static final String C_URING = "c-io_uring";
    /** Gloo over TCP. */
    public static final String GLOO = "gloo";

    private static final List<Long> ROUND_TRIP_BYTES = List.of(8L, 64L, 4L << 10, 64L << 10, 1L << 20);
    /** Threads of each end, and sockets of each thread, or of the caller. */
    private static final List<String> SETTINGS = List.of("0x1", "0x2", "0x4", "1x1", "1x2", "2x1");
    private static final List<Long> SETTINGS_BYTES = List.of(64L << 10, 1L << 20, 64L << 20);
    private static final List<Long> CONNECTIONS = List.of(1L, 4L, 8L, 16L, 64L, 256L);
    private static final List<Long> STREAM_BYTES =
            List.of(64L << 10, 256L << 10, 1L << 20, 4L << 20, 16L << 20, 64L << 20);
    /** Two ends that never sleep leave the compilers of two CPUs little: after a third of it 64 KiB lose a fifth. */
    private static final double STREAM_WARMUP = 24;
    private static final String WINDOW = "8";

    /**
     * A plan.
     *
     * @param scale how long
     * @param has   whether a peer takes part
     */
    public NetPlan(Scale scale, Predicate<Job.Program> has) {
        super(scale, has, "NET");
    }

    /**
     * Ours with settings of its own instead of automatic ones.
     *
     * @return names of contenders
     */
    public static List<String> manual() {
        return SETTINGS.stream().map(NetPlan::manual).toList();
    }

    @Override
    double warmup(String experiment) {
        return experiment.equals(STREAM) ? STREAM_WARMUP : super.warmup(experiment);
    }

    @Override
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>(List.of(roundTrips(), streams(), polls()));
        groups.addAll(allReduces());
        return groups;
    }

    private Group roundTrips() {
        List<Long> sizes = some(ROUND_TRIP_BYTES);
        List<Job> jobs = new ArrayList<>();
        peer(jobs, Job.Program.NET, ROUND_TRIP, BY_SIZE, C, words(sizes, "rtt", seconds(1)));
        jobs.add(rig("netrtt", ROUND_TRIP, OURS, sizes));
        jobs.add(rig("netrtt", ROUND_TRIP, NIO, sizes, "net.socket.engine=nio"));
        engines(jobs, ROUND_TRIP, "rtt", sizes);
        return new Group(ROUND_TRIP, jobs);
    }

    private Group streams() {
        List<Long> sizes = some(STREAM_BYTES);
        List<Job> jobs = new ArrayList<>();
        stream(jobs, C, "stream", "1", WINDOW, sizes);
        jobs.add(rig("netstream", STREAM, OURS, sizes));
        stream(jobs, C_RENO, "stream-reno", "1", WINDOW, sizes);
        stream(jobs, C_TWO, "stream", "2", WINDOW, sizes);
        if (isWhole()) {
            stream(jobs, C_ONE_PLACE, "stream", "1", "1", sizes);
            engines(jobs, STREAM, "stream", sizes);
            SETTINGS.forEach(setting -> jobs.add(streamAsSet(setting)));
        } else {
            jobs.add(streamAsSet(SETTINGS.getLast()));
        }
        return new Group(STREAM, jobs);
    }

    private void engines(List<Job> jobs, String experiment, String mode, List<Long> sizes) {
        for (String contender : List.of(C_ZERO_COPY, C_URING)) {
            peer(jobs, Job.Program.NET_ENGINES, experiment, BY_SIZE, contender,
                    words(sizes, contender.equals(C_URING) ? "uring" : "zerocopy", mode, seconds(1)));
        }
    }

    private Job streamAsSet(String setting) {
        String[] numbers = setting.split("x");
        return rig("netstream", STREAM, manual(setting), isWhole() ? SETTINGS_BYTES : some(STREAM_BYTES),
                "net.socket.threads=" + numbers[0], "net.socket.sockets.per.thread=" + numbers[1]);
    }

    private static String manual(String setting) {
        return OURS + '-' + setting;
    }

    private Group polls() {
        List<Long> connections = some(CONNECTIONS);
        return new Group(POLL, List.of(rig("netpoll", POLL, ONE_BY_ONE, connections, "batch=false"),
                rig("netpoll", POLL, BATCH, connections, "batch=true")));
    }

    private void stream(List<Job> jobs, String contender, String mode, String sockets, String buffers,
            List<Long> sizes) {
        peer(jobs, Job.Program.NET, STREAM, BY_SIZE, contender, words(sizes, mode, seconds(1), sockets, buffers));
    }

    @Override
    void addPeers(List<Job> jobs, int ranks, String scenario, List<String> sizes) {
        String experiment = allReduce(ranks);
        peer(jobs, Job.Program.MPI, experiment, scenario, MPI, mpi(ranks, "allreduce", sizes));
        List<String> words = new ArrayList<>(List.of(Integer.toString(ranks)));
        words.addAll(sizes);
        peer(jobs, Job.Program.GLOO, experiment, scenario, GLOO, words);
    }
}
