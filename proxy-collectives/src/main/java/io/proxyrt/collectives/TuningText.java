/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A tuning profile as text: what it is, the machine, a line for each table, and one for the times of each algorithm of
 * it. Lines that begin with # are for readers.
 *
 * <pre>
 * proxyrt tuning profile 1
 * machine AMD EPYC, 2 CPUs
 * SHM all_reduce 4 choose doubling=32768 ring=any
 * SHM all_reduce 4 us ring 8=6.100 32=6.130
 * </pre>
 */
final class TuningText {
    private static final String TITLE = "proxyrt tuning profile 1";
    private static final String MACHINE = "machine ";
    private static final String COMMENT = "# Written by proxyrt tune: up to which bytes of a call which algorithm is"
            + " taken, and how long each took.\n# Bytes are a rank's part of all-gathers and reduce-scatters.\n";
    private static final String CHOOSE = "choose";
    private static final String TIMES = "us";
    private static final String ANY = "any";
    /** Transport, function and ranks. */
    private static final int PLACE_WORDS = 3;

    private final Map<String, List<TuningTable.Range>> ranges = new LinkedHashMap<>();
    private final Map<String, Map<Algorithm, Map<Long, Double>>> times = new LinkedHashMap<>();

    private TuningText() {
    }

    /** What {@link #parse} reads, with or without times. */
    static String of(TuningProfile profile, boolean hasTimes) {
        StringBuilder text = new StringBuilder(TITLE).append('\n').append(MACHINE).append(profile.machine())
                .append('\n').append(hasTimes ? COMMENT : "");
        for (TuningTable table : profile.tables()) {
            text.append(table.place()).append(' ').append(CHOOSE);
            table.ranges().forEach(range -> text.append(' ').append(label(range.algorithm())).append('=')
                    .append(range.upToBytes() == Long.MAX_VALUE ? ANY : range.upToBytes()));
            text.append('\n');
            if (hasTimes) {
                table.timesUs().forEach((algorithm, us) -> text.append(table.place()).append(' ').append(TIMES)
                        .append(' ').append(label(algorithm)).append(' ').append(us.entrySet().stream()
                                .map(one -> String.format(Locale.ROOT, "%d=%.3f", one.getKey(), one.getValue()))
                                .collect(Collectors.joining(" "))).append('\n'));
            }
        }
        return text.toString();
    }

    private static String label(Algorithm algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT);
    }

    /** Reads lines; where they are from is for messages. */
    static TuningProfile parse(String from, String text) {
        List<String> lines = text.lines().toList();
        if (lines.size() < 2 || !lines.get(0).equals(TITLE) || !lines.get(1).startsWith(MACHINE)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, from + " is no tuning profile of this version: it"
                    + " does not begin with '" + TITLE + "' and a line of the machine");
        }
        TuningText read = new TuningText();
        for (int i = 2; i < lines.size(); i++) {
            String line = lines.get(i);
            if (!line.isBlank() && !line.startsWith("#")) {
                try {
                    read.add(line.split(" "));
                } catch (ProxyException | IllegalArgumentException e) {
                    throw new ProxyException(ProxyResult.INVALID_ARGUMENT, from + ", line " + (i + 1) + ": "
                            + e.getMessage(), e);
                }
            }
        }
        try {
            return new TuningProfile(lines.get(1).substring(MACHINE.length()), read.tables());
        } catch (ProxyException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, from + ": " + e.getMessage(), e);
        }
    }

    private void add(String... words) {
        if (words.length <= PLACE_WORDS || ranges.size() > TuningProfile.MAX_TABLES) {
            throw new IllegalArgumentException(words.length + " words, after " + ranges.size() + " tables: must be more"
                    + " than " + PLACE_WORDS + ", and " + TuningProfile.MAX_TABLES + " tables at most");
        }
        String place = String.join(" ", Arrays.asList(words).subList(0, PLACE_WORDS));
        List<String> rest = Arrays.asList(words).subList(PLACE_WORDS + 1, words.length);
        switch (words[PLACE_WORDS]) {
            case CHOOSE -> {
                requireNew(ranges.put(place, ranges(rest)) == null, place);
                // Looked at here, for its line.
                table(place, Map.of());
            }
            case TIMES -> addTimes(place, rest);
            default -> throw new IllegalArgumentException("'" + words[PLACE_WORDS] + "' is neither " + CHOOSE + " nor "
                    + TIMES);
        }
    }

    private void addTimes(String place, List<String> words) {
        if (!ranges.containsKey(place) || words.size() < 2) {
            throw new IllegalArgumentException("times of " + place + " behind no line with its ranges, or none at all");
        }
        Map<Long, Double> us = new TreeMap<>();
        for (String word : words.subList(1, words.size())) {
            String[] pair = pair(word);
            requireNew(us.put(Long.valueOf(pair[0]), Double.valueOf(pair[1])) == null, word);
        }
        Map<Algorithm, Map<Long, Double>> all = times.computeIfAbsent(place, any -> new EnumMap<>(Algorithm.class));
        requireNew(all.put(algorithm(words.getFirst()), us) == null, words.getFirst());
        table(place, all);
    }

    private static List<TuningTable.Range> ranges(List<String> words) {
        List<TuningTable.Range> ranges = new ArrayList<>();
        for (String word : words) {
            String[] pair = pair(word);
            ranges.add(new TuningTable.Range(pair[1].equals(ANY) ? Long.MAX_VALUE : Long.parseLong(pair[1]),
                    algorithm(pair[0])));
        }
        return ranges;
    }

    private static String[] pair(String word) {
        String[] pair = word.split("=", -1);
        if (pair.length != 2) {
            throw new IllegalArgumentException("'" + word + "' is no pair with one =");
        }
        return pair;
    }

    private static void requireNew(boolean isNew, String what) {
        if (!isNew) {
            throw new IllegalArgumentException("'" + what + "' is there twice");
        }
    }

    private static Algorithm algorithm(String word) {
        return TuningTable.ALGORITHMS.stream().filter(one -> label(one).equals(word)).findFirst().orElseThrow(() ->
                new IllegalArgumentException("'" + word + "' is no algorithm of kernels of the host"));
    }

    private TuningTable table(String place, Map<Algorithm, Map<Long, Double>> us) {
        String[] words = place.split(" ", -1);
        CollFunction function = TuningTable.FUNCTIONS.stream().filter(one ->
                one.name().toLowerCase(Locale.ROOT).equals(words[1])).findFirst().orElseThrow(() ->
                new IllegalArgumentException("'" + words[1] + "' is no function with a choice"));
        return new TuningTable(words[0], function, Integer.parseInt(words[2]), ranges.get(place), us);
    }

    private List<TuningTable> tables() {
        return ranges.keySet().stream().map(place -> table(place, times.getOrDefault(place, Map.of()))).toList();
    }
}
