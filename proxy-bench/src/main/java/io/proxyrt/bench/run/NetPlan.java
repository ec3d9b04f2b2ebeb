/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Which measurements are made of the NET transport: its socket network, and all-reduce over it. */
public final class NetPlan implements Plan {
    /** Messages there and back, one at a time. */
    public static final String ROUND_TRIP = "rtt";
    /** Messages one way, several in flight. */
    public static final String STREAM = "stream";
    /** Many connections that wait, asked one by one or all at once; cells are their number. */
    public static final String POLL = "poll";
    /** The beginning of the names of the all-reduces, with the ranks behind. */
    public static final String ALL_REDUCE = "all_reduce";

    /** Ours, with its default settings; the beginning of the names of all that are. */
    public static final String OURS = "proxyrt";
    /** Ours with the JDK's channels alone. */
    public static final String NIO = OURS + "-nio";
    /** Ours, each connection asked for itself. */
    public static final String ONE_BY_ONE = OURS + "-one-by-one";
    /** Ours, all connections asked at once. */
    public static final String BATCH = OURS + "-batch";
    /** One socket each way, in C. */
    public static final String C = "c-1-socket";
    /** Parts over two sockets, in C. */
    public static final String C_TWO = "c-2-sockets";
    /** One socket, and each message from and to the same place, in C. */
    public static final String C_ONE_PLACE = "c-1-buffer";
    /** Sends of memory that the kernel does not copy, if it can help it, in C. */
    public static final String C_ZERO_COPY = "c-zerocopy";
    /** Operations of an io_uring, in C. */
    public static final String C_URING = "c-io_uring";
    /** MPI over TCP. */
    public static final String MPI = "mpi";
    /** Gloo over TCP. */
    public static final String GLOO = "gloo";

    /** Numbers of ranks that all-reduce is measured with. */
    public static final List<Integer> RANKS = List.of(2, 4);

    private static final List<Long> ROUND_TRIP_BYTES = List.of(8L, 64L, 4L << 10, 64L << 10, 1L << 20);
    /** Threads of each end, and sockets of each thread, or of the caller. */
    private static final List<String> SETTINGS = List.of("0x1", "0x2", "0x4", "1x1", "1x2", "2x1");
    private static final List<Long> SETTINGS_BYTES = List.of(64L << 10, 1L << 20, 64L << 20);
    private static final List<Long> CONNECTIONS = List.of(1L, 4L, 8L, 16L, 64L, 256L);
    private static final List<Long> STREAM_BYTES =
            List.of(64L << 10, 256L << 10, 1L << 20, 4L << 20, 16L << 20, 64L << 20);
    private static final String WINDOW = "8";
    private static final double WARMUP = 8;
    private static final long SMALL_BYTES = 256L << 10;
    private static final long MOST_BYTES = 64L << 20;
    private static final String DOUBLED = "2";
    private static final long COARSE_LEAST_BYTES = 512;
    private static final long COARSE_MOST_BYTES = 16L << 20;
    private static final String COARSE = "8";

    private final Scale scale;
    private final Predicate<Job.Program> has;

    /**
     * A plan.
     *
     * @param scale how long
     * @param has   whether a peer takes part
     */
    public NetPlan(Scale scale, Predicate<Job.Program> has) {
        this.scale = scale;
        this.has = has;
    }

    /**
     * An experiment.
     *
     * @param ranks of the all-reduce
     * @return its name
     */
    public static String allReduce(int ranks) {
        return ALL_REDUCE + ' ' + ranks + " ranks";
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
    public List<Group> groups() {
        List<Group> groups = new ArrayList<>(List.of(roundTrips(), streams(), polls(), allReduceOfTwo()));
        if (scale.isWhole()) {
            groups.add(allReduceOfFour());
        }
        return groups;
    }

    private Group roundTrips() {
        List<Long> sizes = some(ROUND_TRIP_BYTES);
        List<Job> jobs = new ArrayList<>();
        peer(jobs, Job.Program.NET, ROUND_TRIP, "by size", C, words("rtt", seconds(1), sizes));
        jobs.add(rig("netrtt", ROUND_TRIP, OURS, sizes));
        jobs.add(rig("netrtt", ROUND_TRIP, NIO, sizes, "net.socket.engine=nio"));
        engines(jobs, ROUND_TRIP, "rtt", sizes);
        return new Group(ROUND_TRIP, jobs);
    }

    private Group streams() {
        List<Long> sizes = some(STREAM_BYTES);
        List<Job> jobs = new ArrayList<>();
        stream(jobs, C, "1", WINDOW, sizes);
        jobs.add(rig("netstream", STREAM, OURS, sizes));
        stream(jobs, C_TWO, "2", WINDOW, sizes);
        if (scale.isWhole()) {
            stream(jobs, C_ONE_PLACE, "1", "1", sizes);
            engines(jobs, STREAM, "stream", sizes);
            SETTINGS.forEach(setting -> jobs.add(streamAsSet(setting)));
        } else {
            jobs.add(streamAsSet(SETTINGS.getLast()));
        }
        return new Group(STREAM, jobs);
    }

    private void engines(List<Job> jobs, String experiment, String mode, List<Long> sizes) {
        for (String contender : List.of(C_ZERO_COPY, C_URING)) {
            List<String> words = words(mode, seconds(1), sizes);
            words.addFirst(contender.equals(C_URING) ? "uring" : "zerocopy");
            peer(jobs, Job.Program.NET_ENGINES, experiment, "by size", contender, words);
        }
    }

    private Job streamAsSet(String setting) {
        String[] numbers = setting.split("x");
        return rig("netstream", STREAM, manual(setting), scale.isWhole() ? SETTINGS_BYTES : some(STREAM_BYTES),
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

    private void stream(List<Job> jobs, String contender, String sockets, String buffers, List<Long> sizes) {
        List<String> words = words("stream", seconds(1), sizes);
        words.addAll(2, List.of(sockets, buffers));
        peer(jobs, Job.Program.NET, STREAM, "by size", contender, words);
    }

    private Group allReduceOfTwo() {
        int ranks = RANKS.getFirst();
        String experiment = allReduce(ranks);
        long most = scale.isWhole() ? MOST_BYTES : SMALL_BYTES;
        List<Job> jobs = new ArrayList<>();
        peers(jobs, ranks, 8, most, DOUBLED);
        jobs.add(perf(experiment, "to 256 KiB", ranks, 8, SMALL_BYTES, DOUBLED, scale.isWhole() ? 500 : 5));
        if (scale.isWhole()) {
            jobs.add(perf(experiment, "from 512 KiB", ranks, 2 * SMALL_BYTES, most, DOUBLED, 20));
        }
        return new Group(experiment, jobs);
    }

    /** More ranks than this machine may have cores: a few sizes tell enough. */
    private Group allReduceOfFour() {
        int ranks = RANKS.getLast();
        String experiment = allReduce(ranks);
        List<Job> jobs = new ArrayList<>();
        peers(jobs, ranks, COARSE_LEAST_BYTES, COARSE_MOST_BYTES, COARSE);
        jobs.add(perf(experiment, "by size", ranks, COARSE_LEAST_BYTES, COARSE_MOST_BYTES, COARSE, 50));
        return new Group(experiment, jobs);
    }

    private void peers(List<Job> jobs, int ranks, long least, long most, String factor) {
        List<String> words = List.of(Integer.toString(ranks), seconds(0.3), Long.toString(least), Long.toString(most),
                factor);
        peer(jobs, Job.Program.MPI, allReduce(ranks), "by size", MPI, words);
        peer(jobs, Job.Program.GLOO, allReduce(ranks), "by size", GLOO, words);
    }

    private Job perf(String experiment, String scenario, int ranks, long least, long most, String factor, int calls) {
        long warmupMs = (long) (WARMUP * scale.warmup() * 1000);
        return new Job(experiment, scenario, OURS, Job.Program.PERF, List.of("all_reduce", "--ranks",
                Integer.toString(ranks), "-b", Long.toString(least), "-e", Long.toString(most), "-f", factor, "-n",
                Integer.toString(calls), "--jit-warmup", Long.toString(warmupMs)));
    }

    private Job rig(String rig, String experiment, String contender, List<Long> sizes, String... options) {
        List<String> words = new ArrayList<>(List.of(rig, "pinned=true",
                "sizes=" + sizes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "warmup=" + time(WARMUP * scale.warmup()), "seconds=" + seconds(1)));
        words.addAll(List.of(options));
        return new Job(experiment, "by size", contender, Job.Program.JAVA, words);
    }

    private void peer(List<Job> jobs, Job.Program program, String experiment, String scenario, String contender,
            List<String> words) {
        if (has.test(program)) {
            jobs.add(new Job(experiment, scenario, contender, program, words));
        }
    }

    private List<Long> some(List<Long> sizes) {
        return scale.isWhole() ? sizes : List.of(sizes.getFirst(), sizes.get(2));
    }

    private static List<String> words(String mode, String seconds, List<Long> sizes) {
        List<String> words = new ArrayList<>(List.of(mode, seconds));
        sizes.forEach(size -> words.add(Long.toString(size)));
        return words;
    }

    private String seconds(double times) {
        return time(times * scale.seconds());
    }

    private static String time(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
