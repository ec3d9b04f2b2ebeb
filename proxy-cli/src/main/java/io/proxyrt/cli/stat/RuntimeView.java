/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.MemoryShare;
import io.proxyrt.core.diagnosis.ProcessLook;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One runtime at one moment, as its counters file shows it.
 *
 * @param path     of its folder
 * @param job      as the runtime was told
 * @param rank     of the runtime
 * @param nRanks   of its job
 * @param pid      of its process
 * @param health   whether its threads are at work
 * @param startMs  when it was started
 * @param problem  first failure, or why the counters can't be read; empty if there is none
 * @param counters by label, in the order of the file
 * @param memory   of connections, as far as the file has room for them
 * @param traffic  of connections, likewise
 */
record RuntimeView(Path path, String job, int rank, int nRanks, long pid, Health health, long startMs, String problem,
        Map<String, Value> counters, List<MemoryShare> memory, List<ConnectionTraffic> traffic) {
    /** The progress agent says ten times a second that it is alive. */
    private static final long STALE_MS = 3000;

    /**
     * One counter.
     *
     * @param kind  how it moves
     * @param value now
     */
    record Value(Counter.Kind kind, long value) {
    }

    /**
     * How a runtime fares.
     *
     * @param state of process and progress agent
     * @param ageMs since the last heartbeat; negative if there was none
     */
    record Health(State state, long ageMs) {
        /** As far as one can tell from outside. */
        enum State {
            /** The progress agent was at work a moment ago. */
            RUNNING,
            /** The process lives, but no thread drives the progress agent. */
            STALE,
            /** The process is gone. */
            DEAD,
            /** The counters can't be read. */
            UNREADABLE
        }

        /** For a column. */
        String label() {
            return switch (state) {
                case RUNNING -> "running";
                case STALE -> "silent";
                case DEAD -> "dead";
                case UNREADABLE -> "unreadable";
            };
        }
    }

    /** Those that are wanted, by rank; those that are gone before one could look are left out. */
    static List<RuntimeView> all(RuntimeChoice choice, long nowMs) {
        List<RuntimeView> views = new ArrayList<>();
        Map<RuntimeDirectory.Entry, RuntimeView> readable = new LinkedHashMap<>();
        for (RuntimeDirectory.Entry entry : choice.entries()) {
            try (CountersReader reader = CountersReader.open(entry.counters())) {
                views.add(of(entry, reader, nowMs));
                readable.put(entry, views.getLast());
            } catch (ProxyException e) {
                if (Files.exists(entry.path())) {
                    views.add(new RuntimeView(entry.path(), "", entry.rank(), 0, entry.pid(),
                            new Health(entry.isAlive() ? Health.State.UNREADABLE : Health.State.DEAD, -1), nowMs,
                            e.getMessage(), Map.of(), List.of(), List.of()));
                }
            }
        }
        addProcesses(readable);
        return views;
    }

    /** What a process has stands at the first of its runtimes, so that sums are right. */
    private static void addProcesses(Map<RuntimeDirectory.Entry, RuntimeView> views) {
        views.keySet().stream().filter(entry -> entry.isAlive() && entry.isVisible())
                .collect(Collectors.groupingBy(RuntimeDirectory.Entry::pid)).values()
                .forEach(ofProcess -> ProcessLook.at(ofProcess.getFirst()).ifPresent(look -> Usage.addProcess(
                        views.get(ofProcess.getFirst()).counters, ofProcess.getFirst().pid(), look,
                        ofProcess.stream().flatMap(entry -> views.get(entry).traffic.stream())
                                .mapToLong(ConnectionTraffic::bytes).sum())));
    }

    private static RuntimeView of(RuntimeDirectory.Entry entry, CountersReader reader, long nowMs) {
        Map<String, Value> counters = new LinkedHashMap<>();
        for (int i = 0; i < reader.size(); i++) {
            counters.put(reader.label(i), new Value(reader.kind(i), reader.value(i)));
        }
        Usage.addLanes(counters, entry.ops());
        long heartbeatMs = reader.heartbeatMs();
        long ageMs = heartbeatMs == 0 ? -1 : Math.max(0, nowMs - heartbeatMs);
        Health.State state = !entry.isAlive() ? Health.State.DEAD
                : nowMs - (ageMs < 0 ? reader.startMs() : heartbeatMs) > STALE_MS ? Health.State.STALE
                        : Health.State.RUNNING;
        return new RuntimeView(entry.path(), reader.job(), entry.rank(), reader.nRanks(), entry.pid(),
                new Health(state, ageMs), reader.startMs(), reader.failure(), counters,
                reader.memory(), reader.traffic());
    }
}
