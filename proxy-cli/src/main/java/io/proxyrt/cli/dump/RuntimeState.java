/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.dump;

import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.diagnosis.ProcessLook;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * Whose file it is that is looked into, and whether it still lives.
 *
 * @param job          as the runtime was told
 * @param rank         of it
 * @param ranks        of its job
 * @param pid          of its process
 * @param process      running, stopped or dead
 * @param heartbeatAge since its progress agent was last known to be at work
 * @param problem      its first failure
 */
public record RuntimeState(String job, int rank, int ranks, long pid, String process, Optional<Double> heartbeatAge,
        Optional<String> problem) {
    /**
     * Looks.
     *
     * @param reader of its counters
     * @param entry  of one that is there; a copy has none
     * @param now    the time of the look
     * @return what is seen
     */
    public static RuntimeState of(CountersReader reader, Optional<RuntimeDirectory.Entry> entry, Instant now) {
        String process = entry.filter(RuntimeDirectory.Entry::isAlive).isEmpty() ? "dead"
                : entry.flatMap(ProcessLook::at).filter(ProcessLook::isStopped).isPresent() ? "stopped" : "running";
        Optional<Double> age = Optional.of(reader.heartbeatMs()).filter(ms -> ms > 0)
                .map(ms -> seconds(Instant.ofEpochMilli(ms), now));
        return new RuntimeState(reader.job(), reader.rank(), reader.nRanks(), reader.pid(), process, age,
                Optional.of(reader.failure()).filter(text -> !text.isEmpty()));
    }

    String title() {
        return "rank " + rank + " of " + ranks + (job.isEmpty() ? "" : ", job " + job) + ", pid " + pid + ", "
                + process + heartbeatAge.map(age -> ", heartbeat " + seconds(age) + " ago").orElse(", no heartbeat");
    }

    static double seconds(Instant from, Instant to) {
        return Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
    }

    static String seconds(double age) {
        return String.format(Locale.ROOT, "%.1f s", age);
    }
}
