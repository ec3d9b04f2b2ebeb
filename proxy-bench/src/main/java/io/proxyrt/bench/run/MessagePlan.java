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

/** A plan for a transport: rigs and peers by the size of messages, and all-reduce. */
public abstract class MessagePlan implements Plan {
    /** The beginning of the names of the all-reduces, with the ranks behind. */
    public static final String ALL_REDUCE = "all_reduce";
    /** Ours, with its default settings; the beginning of the names of all that are. */
    public static final String OURS = "proxyrt";
    /** MPI over what the transport is for. */
    public static final String MPI = "mpi";
    /** Numbers of ranks that all-reduce is measured with. */
    public static final List<Integer> RANKS = List.of(2, 4);

    static final String BY_SIZE = "by size";
    private static final double WARMUP = 8;
    private static final double ALL_REDUCE_WARMUP = 16;
    private static final double ALL_REDUCE_SECONDS = 0.3;
    private static final long LEAST_BYTES = 8;
    private static final long SMALL_BYTES = 256L << 10;
    private static final long MEDIUM_BYTES = 4L << 20;
    private static final long MOST_BYTES = 64L << 20;
    private static final String DOUBLED = "2";
    private static final long COARSE_LEAST_BYTES = 512;
    private static final long COARSE_MOST_BYTES = 16L << 20;
    private static final String COARSE = "8";

    private final Scale scale;
    private final Predicate<Job.Program> has;
    private final String transport;

    /**
     * A plan.
     *
     * @param scale     how long
     * @param has       whether a peer takes part
     * @param transport of the all-reduces
     */
    MessagePlan(Scale scale, Predicate<Job.Program> has, String transport) {
        this.scale = scale;
        this.has = has;
        this.transport = transport;
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

    /** Adds the peers of an all-reduce. Sizes are seconds, the least, the greatest and the factor between them. */
    abstract void addPeers(List<Job> jobs, int ranks, String scenario, List<String> sizes);

    final boolean isWhole() {
        return scale.isWhole();
    }

    /** Two ranks at many sizes; and, unless it is a smoke run, more ranks than this machine may have cores at a few. */
    final List<Group> allReduces() {
        return isWhole() ? List.of(allReduceOfTwo(), allReduceOfFour()) : List.of(allReduceOfTwo());
    }

    private Group allReduceOfTwo() {
        int ranks = RANKS.getFirst();
        List<Job> jobs = new ArrayList<>();
        addAllReduce(jobs, ranks, "to 256 KiB", range(LEAST_BYTES, SMALL_BYTES, DOUBLED), isWhole() ? 2000 : 5);
        if (isWhole()) {
            addAllReduce(jobs, ranks, "to 4 MiB", range(2 * SMALL_BYTES, MEDIUM_BYTES, DOUBLED), 500);
            addAllReduce(jobs, ranks, "from 8 MiB", range(2 * MEDIUM_BYTES, MOST_BYTES, DOUBLED), 20);
        }
        return new Group(allReduce(ranks), jobs);
    }

    private Group allReduceOfFour() {
        int ranks = RANKS.getLast();
        List<Job> jobs = new ArrayList<>();
        addAllReduce(jobs, ranks, "to 256 KiB", range(COARSE_LEAST_BYTES, SMALL_BYTES, COARSE), 2000);
        addAllReduce(jobs, ranks, "from 2 MiB", range(8 * SMALL_BYTES, COARSE_MOST_BYTES, COARSE), 50);
        return new Group(allReduce(ranks), jobs);
    }

    /**
     * Small ones by themselves: everybody's calls move through memory of the largest size, and they shall find a cache.
     * With as many calls as peers make in their time, for a time slice of somebody else is worth a hundred small ones.
     */
    private void addAllReduce(List<Job> jobs, int ranks, String scenario, List<String> sizes, int calls) {
        addPeers(jobs, ranks, scenario, sizes);
        jobs.add(perf(allReduce(ranks), scenario, ranks, sizes, calls));
    }

    private List<String> range(long least, long most, String factor) {
        return List.of(seconds(ALL_REDUCE_SECONDS), Long.toString(least), Long.toString(most), factor);
    }

    private Job perf(String experiment, String scenario, int ranks, List<String> range, int calls) {
        long warmupMs = (long) (ALL_REDUCE_WARMUP * scale.warmup() * 1000);
        return new Job(experiment, scenario, OURS, Job.Program.PERF, List.of("all_reduce", "--transport", transport,
                "--ranks", Integer.toString(ranks), "-b", range.get(1), "-e", range.get(2), "-f", range.get(3), "-n",
                Integer.toString(calls), "--jit-warmup", Long.toString(warmupMs)));
    }

    /** What a rig of ours warms up for, in parts of the scale's. */
    double warmup(String experiment) {
        return WARMUP;
    }

    final Job rig(String rig, String experiment, String contender, List<Long> sizes, String... options) {
        List<String> words = new ArrayList<>(List.of(rig, "pinned=true",
                "sizes=" + sizes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "warmup=" + time(warmup(experiment) * scale.warmup()), "seconds=" + seconds(1)));
        words.addAll(List.of(options));
        return new Job(experiment, BY_SIZE, contender, Job.Program.JAVA, words);
    }

    final void peer(List<Job> jobs, Job.Program program, String experiment, String scenario, String contender,
            List<String> words) {
        if (has.test(program)) {
            jobs.add(new Job(experiment, scenario, contender, program, words));
        }
    }

    /** MPI with so many ranks: what it does, and the words that this takes. */
    static List<String> mpi(int ranks, String mode, List<String> rest) {
        List<String> words = new ArrayList<>(List.of(Integer.toString(ranks), mode));
        words.addAll(rest);
        return words;
    }

    final List<Long> some(List<Long> sizes) {
        return isWhole() ? sizes : List.of(sizes.getFirst(), sizes.get(2));
    }

    static List<String> words(List<Long> sizes, String... before) {
        List<String> words = new ArrayList<>(List.of(before));
        sizes.forEach(size -> words.add(Long.toString(size)));
        return words;
    }

    final String seconds(double times) {
        return time(times * scale.seconds());
    }

    /** What a whole run takes a part of. */
    final long count(double whole) {
        return 1 + (long) (whole * scale.seconds());
    }

    private static String time(double seconds) {
        return String.format(Locale.ROOT, "%.3f", seconds);
    }
}
