/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.report;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counters of runtimes over a time.
 *
 * @param atMs since the first look, of each
 * @param rows a counter of a runtime
 */
public record CounterSamples(List<Long> atMs, List<Row> rows) {
    /** There are none. */
    public static final CounterSamples NONE = new CounterSamples(List.of(), List.of());
    private static final int LOOKS = 40;
    private static final long LEAST_NS = 50_000_000;

    /** Copies. */
    public CounterSamples {
        atMs = List.copyOf(atMs);
        rows = List.copyOf(rows);
    }

    /**
     * A counter of a runtime; one that never changed from 0 has none.
     *
     * @param job    its runtime is of
     * @param rank   of it
     * @param name   of the counter
     * @param kind   how it moves
     * @param values at each look; after a runtime has closed, its last
     */
    public record Row(String job, int rank, String name, Counter.Kind kind, List<Long> values) {
        /** Copies. */
        public Row {
            values = List.copyOf(values);
        }
    }

    /** Which. A process may have several runtimes, of one rank and job too. */
    private record Key(RuntimeDirectory.Entry runtime, String job, String name, Counter.Kind kind) {
    }

    /**
     * Looks again and again.
     *
     * @param runtimes that are looked at
     * @param span     from the first look to the last
     * @return of those that could be read
     */
    public static CounterSamples take(List<RuntimeDirectory.Entry> runtimes, Duration span) {
        long startNs = System.nanoTime();
        long stepNs = Math.max(LEAST_NS, span.toNanos() / LOOKS);
        Map<Key, List<Long>> found = new LinkedHashMap<>();
        List<Long> times = new ArrayList<>();
        for (long at = 0; at <= span.toNanos(); at += stepNs) {
            Uninterruptibly.parkNanos(Math.max(1, startNs + at - System.nanoTime()));
            runtimes.forEach(runtime -> look(runtime, found, times.size()));
            times.add((System.nanoTime() - startNs) / 1_000_000);
            found.values().forEach(values -> fill(values, times.size()));
        }
        return new CounterSamples(times, found.entrySet().stream()
                .filter(row -> row.getValue().stream().anyMatch(value -> value != 0))
                .map(row -> new Row(row.getKey().job, row.getKey().runtime.rank(), row.getKey().name,
                        row.getKey().kind, row.getValue())).toList());
    }

    /** One that is gone meanwhile keeps its last values. */
    private static void look(RuntimeDirectory.Entry runtime, Map<Key, List<Long>> found, int looks) {
        try (CountersReader reader = CountersReader.open(runtime.counters())) {
            String job = reader.job();
            for (int i = 0; i < reader.size(); i++) {
                List<Long> values = found.computeIfAbsent(new Key(runtime, job, reader.label(i), reader.kind(i)),
                        any -> new ArrayList<>());
                fill(values, looks);
                // A file may name two alike.
                if (values.size() == looks) {
                    values.add(reader.value(i));
                }
            }
        } catch (ProxyException e) {
            return;
        }
    }

    private static void fill(List<Long> values, int looks) {
        while (values.size() < looks) {
            values.add(values.isEmpty() ? 0L : values.getLast());
        }
    }
}
