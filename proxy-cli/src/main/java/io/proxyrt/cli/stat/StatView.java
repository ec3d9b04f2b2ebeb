/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.MemoryShare;
import io.proxyrt.core.counters.MemoryUse;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * All runtimes at one moment. Its components are the fields of the JSON document.
 *
 * @param time     of the moment
 * @param runtimes by rank
 */
record StatView(Instant time, List<Entry> runtimes) {
    /**
     * A runtime.
     *
     * @param job            as it was told
     * @param rank           of it
     * @param ranks          of its job
     * @param pid            of its process
     * @param state          running, silent, dead or unreadable
     * @param heartbeatAgeMs since its progress agent was last known to be at work
     * @param started        when it was
     * @param problem        first failure, or why the counters cannot be read
     * @param path           of its folder
     * @param counters       by label, never as rates
     * @param memory         of its connections, as far as its file has room for them
     * @param traffic        of its connections, likewise
     */
    record Entry(String job, int rank, int ranks, long pid, String state, Optional<Long> heartbeatAgeMs,
            Instant started, Optional<String> problem, String path, Map<String, Long> counters, List<Share> memory,
            List<Traffic> traffic) {
        static Entry of(RuntimeView view) {
            Map<String, Long> counters = new LinkedHashMap<>();
            view.counters().forEach((label, value) -> counters.put(label, value.value()));
            return new Entry(view.job(), view.rank(), view.nRanks(), view.pid(), view.health().label(),
                    Optional.of(view.health().ageMs()).filter(age -> age >= 0), Instant.ofEpochMilli(view.startMs()),
                    Optional.of(view.problem()).filter(text -> !text.isEmpty()), view.path().toString(), counters,
                    view.memory().stream().map(Share::of).toList(),
                    view.traffic().stream().map(Traffic::of).toList());
        }
    }

    /**
     * What a connection has carried.
     *
     * @param transport  which carries it
     * @param peer       rank at its other end
     * @param direction  send or recv
     * @param connection its number, in hexadecimal digits
     * @param ops        that ended
     * @param bytes      that they moved
     * @param steps      that they did
     * @param lastEnded  when the last of them ended
     */
    record Traffic(String transport, int peer, String direction, String connection, long ops, long bytes, long steps,
            Optional<Instant> lastEnded) {
        static Traffic of(ConnectionTraffic traffic) {
            return new Traffic(traffic.transport(), traffic.peer(),
                    traffic.direction().name().toLowerCase(Locale.ROOT), Long.toHexString(traffic.connection()),
                    traffic.ops(), traffic.bytes(), traffic.steps(), Optional.ofNullable(traffic.ended()));
        }
    }

    /**
     * The memory of a connection.
     *
     * @param transport  which has it
     * @param peer       rank at its other end
     * @param direction  send or recv
     * @param connection its number, in hexadecimal digits; 0 for slots that several share
     * @param bytes      by what they are for
     */
    record Share(String transport, int peer, String direction, String connection, Map<String, Long> bytes) {
        static Share of(MemoryShare share) {
            Map<String, Long> bytes = new LinkedHashMap<>();
            Arrays.stream(MemoryUse.values()).forEach(use -> bytes.put(use.label(), share.bytes(use)));
            return new Share(share.transport(), share.peer(), share.direction().name().toLowerCase(Locale.ROOT),
                    Long.toHexString(share.connection()), bytes);
        }
    }

    static StatView of(List<RuntimeView> views, long nowMs) {
        return new StatView(Instant.ofEpochMilli(nowMs), views.stream().map(Entry::of).toList());
    }
}
