/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which algorithm was fastest for calls of which size, of one function, by one transport, with one number of ranks. The
 * size is the bytes of the buffer; of all-gathers and reduce-scatters those of one rank's part. Immutable.
 *
 * @param transport SHM or NET
 * @param function  all-reduce, all-gather, reduce-scatter, broadcast or reduce
 * @param ranks     2 or more
 * @param ranges    of sizes, in their order; rings carry out what is larger than the last
 * @param timesUs   by which they were chosen: µs by bytes, for each algorithm that was measured; may be empty
 */
public record TuningTable(String transport, CollFunction function, int ranks, List<Range> ranges,
        Map<Algorithm, Map<Long, Double>> timesUs) {
    /** What a change of the algorithm has to save where times are exact: a tenth. */
    public static final double CHANGE = 0.1;
    /** Those that have more than one way. */
    static final Set<CollFunction> FUNCTIONS = EnumSet.of(CollFunction.ALL_REDUCE, CollFunction.ALL_GATHER,
            CollFunction.REDUCE_SCATTER, CollFunction.BROADCAST, CollFunction.REDUCE);
    /** Those of kernels of the host. */
    static final Set<Algorithm> ALGORITHMS = EnumSet.of(Algorithm.RING, Algorithm.TREE, Algorithm.DOUBLING,
            Algorithm.PAT);
    private static final int MAX_RANKS = 1 << 20;
    /** Of ranges, and of times of an algorithm. */
    private static final int MAX_ENTRIES = 256;

    /**
     * An algorithm's.
     *
     * @param upToBytes the largest, from 1
     * @param algorithm of kernels of the host
     */
    public record Range(long upToBytes, Algorithm algorithm) {
    }

    /**
     * Copies and checks.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for what is not measured, ranges that do not grow, a
     *                        size of no bytes or a time that is no positive number
     */
    public TuningTable {
        ranges = List.copyOf(ranges);
        timesUs = copy(timesUs);
        require(HostPath.SHM.name().equals(transport) || HostPath.NET.name().equals(transport),
                "transport '" + transport + "': must be SHM or NET");
        require(FUNCTIONS.contains(function), function + " has no choice");
        require(ranks >= 2 && ranks <= MAX_RANKS, ranks + " ranks: must be 2 to " + MAX_RANKS);
        require(!ranges.isEmpty() && ranges.size() <= MAX_ENTRIES, ranges.size() + " ranges: must be 1 to "
                + MAX_ENTRIES);
        long before = 0;
        for (Range range : ranges) {
            require(range.upToBytes > before, "a range up to " + range.upToBytes + " bytes behind " + before);
            require(ALGORITHMS.contains(range.algorithm), range.algorithm + " is not of kernels of the host");
            before = range.upToBytes;
        }
        timesUs.forEach(TuningTable::requireTimes);
    }

    private static Map<Algorithm, Map<Long, Double>> copy(Map<Algorithm, Map<Long, Double>> timesUs) {
        Map<Algorithm, Map<Long, Double>> copy = new EnumMap<>(Algorithm.class);
        timesUs.forEach((algorithm, times) -> copy.put(algorithm, Collections.unmodifiableMap(new TreeMap<>(times))));
        return Collections.unmodifiableMap(copy);
    }

    private static void requireTimes(Algorithm algorithm, Map<Long, Double> times) {
        require(ALGORITHMS.contains(algorithm), algorithm + " is not of kernels of the host");
        require(!times.isEmpty() && times.size() <= MAX_ENTRIES, times.size() + " times of " + algorithm
                + ": must be 1 to " + MAX_ENTRIES);
        times.forEach((bytes, us) -> require(bytes > 0 && us > 0 && Double.isFinite(us), bytes + " bytes in " + us
                + " us: both must be more than 0"));
    }

    private static void require(boolean isRight, String otherwise) {
        if (!isRight) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, otherwise);
        }
    }

    /**
     * Chooses by what was measured: at each size one of the fastest, with few changes, so that noise makes none. A
     * change is where both took as long, between two sizes by their logarithms.
     *
     * @param transport as of the table
     * @param function  as of the table
     * @param ranks     as of the table
     * @param timesUs   µs by bytes, for each algorithm; at least one
     * @param change    what a change has to save, of the time of a size or of several together; {@link #CHANGE} or more
     * @return a table with them
     * @throws ProxyException as of the constructor
     */
    public static TuningTable of(String transport, CollFunction function, int ranks,
            Map<Algorithm, Map<Long, Double>> timesUs, double change) {
        Map<Algorithm, Map<Long, Double>> times = copy(timesUs);
        times.forEach(TuningTable::requireTimes);
        TreeSet<Long> sizes = new TreeSet<>();
        times.values().forEach(one -> sizes.addAll(one.keySet()));
        List<Range> ranges = new ArrayList<>();
        Algorithm current = null;
        long before = 0;
        for (Map.Entry<Long, Algorithm> next : choose(List.copyOf(sizes), times, change).entrySet()) {
            if (current != null && next.getValue() != current) {
                ranges.add(new Range(change(times.get(current), times.get(next.getValue()), before, next.getKey()),
                        current));
            }
            current = next.getValue();
            before = next.getKey();
        }
        if (current != null) {
            ranges.add(new Range(Long.MAX_VALUE, current));
        }
        return new TuningTable(transport, function, ranks, ranges, times);
    }

    /** By size, with the least sum of what is lost by not taking the fastest, and of changes. */
    private static Map<Long, Algorithm> choose(List<Long> sizes, Map<Algorithm, Map<Long, Double>> times,
            double change) {
        List<Algorithm> algorithms = List.copyOf(times.keySet());
        double[] lost = new double[algorithms.size()];
        int[][] from = new int[sizes.size()][algorithms.size()];
        for (int s = 0; s < sizes.size(); s++) {
            double[] next = new double[lost.length];
            for (int a = 0; a < next.length; a++) {
                int best = a;
                for (int b = 0; s > 0 && b < lost.length; b++) {
                    best = lost[b] + (b == a ? 0 : change) < lost[best] + (best == a ? 0 : change) ? b : best;
                }
                from[s][a] = best;
                next[a] = lost[best] + (best == a ? 0 : change) + lost(times, algorithms.get(a), sizes.get(s));
            }
            lost = next;
        }
        int last = 0;
        for (int a = 1; a < lost.length; a++) {
            last = lost[a] < lost[last] ? a : last;
        }
        Map<Long, Algorithm> chosen = new TreeMap<>();
        for (int s = sizes.size() - 1; s >= 0; s--) {
            chosen.put(sizes.get(s), algorithms.get(last));
            last = from[s][last];
        }
        return chosen;
    }

    /** A logarithm, so that a size of much time counts as much as one of little. */
    private static double lost(Map<Algorithm, Map<Long, Double>> times, Algorithm algorithm, long bytes) {
        double fastest = times.values().stream().filter(one -> one.containsKey(bytes)).mapToDouble(one ->
                one.get(bytes)).min().orElseThrow();
        Double own = times.get(algorithm).get(bytes);
        return own == null ? Double.POSITIVE_INFINITY : Math.log(own / fastest);
    }

    /** The last size of the one, from a size on where it is chosen, below one where the other is. */
    private static long change(Map<Long, Double> one, Map<Long, Double> other, long from, long to) {
        double share = 0.5;
        if (other.containsKey(from) && one.containsKey(to)) {
            double before = Math.log(one.get(from) / other.get(from));
            double behind = Math.log(one.get(to) / other.get(to));
            share = behind > before ? Math.clamp(-before / (behind - before), 0, 1) : share;
        }
        return Math.clamp(Math.round(from * Math.pow((double) to / from, share)), from, to - 1);
    }

    /** Of which a profile has one table. */
    String place() {
        return transport + " " + function.name().toLowerCase(Locale.ROOT) + " " + ranks;
    }

    boolean isOf(String path, CollFunction other) {
        return function == other && transport.equals(path);
    }

    /**
     * How long a call took, or would by the sizes next to it, in between by their logarithms.
     *
     * @param algorithm of the call
     * @param bytes     of the call
     * @return µs; empty if the algorithm was not measured with less and with more
     */
    public Optional<Double> timeUs(Algorithm algorithm, long bytes) {
        TreeMap<Long, Double> times = new TreeMap<>(timesUs.getOrDefault(algorithm, Map.of()));
        Map.Entry<Long, Double> below = times.floorEntry(bytes);
        Map.Entry<Long, Double> above = times.ceilingEntry(bytes);
        if (below == null || above == null) {
            return Optional.empty();
        }
        double share = above.getKey().equals(below.getKey()) ? 0
                : Math.log((double) bytes / below.getKey()) / Math.log((double) above.getKey() / below.getKey());
        return Optional.of(below.getValue() * Math.pow(above.getValue() / below.getValue(), share));
    }
}
