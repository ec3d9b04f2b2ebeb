/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.diagnosis.CommunicatorCalls.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The rank for which the others wait again and again, though nothing stands still.
 *
 * @param communicator in which
 * @param rank         that called last most often
 * @param timesLast    how often
 * @param collectives  of how many, of which all ranks have a time
 * @param usual        how much later than all others it called, when it was last: the median
 * @param longest      the most
 * @param at           number of the collective of that
 */
public record Straggler(String communicator, int rank, int timesLast, int collectives, Duration usual,
        Duration longest, long at) {
    /** With less than that nothing is said. */
    private static final int LEAST = 4;
    private static final Duration LEAST_LAG = Duration.ofMillis(1);

    private record Lag(long number, int rank, Duration by) {
    }

    /**
     * Finds one, by the times of calls. Those are of one host's clock.
     *
     * @param job what is seen
     * @return empty unless one rank is last most of the time, and by a millisecond
     */
    public static Optional<Straggler> of(JobObservation job) {
        Map<String, Map<Integer, Map<Long, Instant>>> times = new TreeMap<>();
        for (RankObservation rank : WaitGraph.byRank(job).values()) {
            for (CommunicatorCalls calls : rank.communicators()) {
                times.computeIfAbsent(calls.communicator(), _ -> new TreeMap<>())
                        .put(rank.rank(), timed(calls.calls()));
            }
        }
        return times.entrySet().stream().map(entry -> of(entry.getKey(), lags(entry.getValue())))
                .flatMap(Optional::stream).max(Comparator.comparing(Straggler::usual));
    }

    /** Calls that do not wait share a look at the clock: of those the first alone has its own time. */
    private static Map<Long, Instant> timed(List<Call> calls) {
        Map<Long, Instant> times = new HashMap<>();
        for (int i = 1; i < calls.size(); i++) {
            Call call = calls.get(i);
            if (call.number() > 0 && !call.time().equals(calls.get(i - 1).time())) {
                times.put(call.number(), call.time());
            }
        }
        return times;
    }

    /** Of the collectives of which all ranks have a time: who called last, and how much later than the one before. */
    private static List<Lag> lags(Map<Integer, Map<Long, Instant>> ranks) {
        List<Lag> lags = new ArrayList<>();
        if (ranks.size() < 2) {
            return lags;
        }
        for (long number : ranks.values().iterator().next().keySet()) {
            if (ranks.values().stream().allMatch(times -> times.containsKey(number))) {
                List<Map.Entry<Integer, Map<Long, Instant>>> byTime = new ArrayList<>(ranks.entrySet());
                byTime.sort(Comparator.comparing(entry -> entry.getValue().get(number)));
                Instant last = byTime.getLast().getValue().get(number);
                Instant before = byTime.get(byTime.size() - 2).getValue().get(number);
                lags.add(new Lag(number, byTime.getLast().getKey(), Duration.between(before, last)));
            }
        }
        return lags;
    }

    private static Optional<Straggler> of(String communicator, List<Lag> lags) {
        Map<Integer, List<Lag>> byRank = new TreeMap<>();
        lags.forEach(lag -> byRank.computeIfAbsent(lag.rank(), _ -> new ArrayList<>()).add(lag));
        return byRank.entrySet().stream().max(Comparator.comparingInt(entry -> entry.getValue().size()))
                .map(most -> of(communicator, lags.size(), most.getKey(), most.getValue()))
                .filter(found -> found.timesLast >= LEAST && 2 * found.timesLast > found.collectives
                        && found.usual.compareTo(LEAST_LAG) >= 0);
    }

    private static Straggler of(String communicator, int collectives, int rank, List<Lag> lags) {
        List<Duration> sorted = new ArrayList<>(lags.stream().map(Lag::by).toList());
        Collections.sort(sorted);
        Lag longest = lags.stream().max(Comparator.comparing(Lag::by).thenComparing(Lag::number)).orElseThrow();
        return new Straggler(communicator, rank, lags.size(), collectives, sorted.get(sorted.size() / 2),
                longest.by(), longest.number());
    }

    /**
     * The same for people.
     *
     * @return a sentence
     */
    public String sentence() {
        return "rank " + rank + " is late: of the last " + collectives + " collectives"
                + CallComparison.of(communicator) + " of which all ranks have a time it called " + timesLast
                + " last, usually " + millis(usual) + " after all others, at most " + millis(longest) + " (collective "
                + at + "); times are of this host's clock";
    }

    /** Files may hold times that are too far apart to be counted in nanoseconds. */
    private static double seconds(Duration time) {
        return time.getSeconds() + time.getNano() / 1e9;
    }

    /**
     * How much later than all others it usually called.
     *
     * @return in seconds
     */
    public double usualSeconds() {
        return seconds(usual);
    }

    /**
     * How much later than all others it called at most.
     *
     * @return in seconds
     */
    public double longestSeconds() {
        return seconds(longest);
    }

    private static String millis(Duration time) {
        return String.format(Locale.ROOT, "%.1f ms", seconds(time) * 1000);
    }
}
