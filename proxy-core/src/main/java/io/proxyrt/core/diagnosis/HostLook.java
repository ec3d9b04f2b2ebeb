/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Two looks at the runtimes of this host, a moment apart: what moved in between does not stand still. It reads their
 * mapped files, and believes nothing in them.
 *
 * @param jobs     by name
 * @param problems files that could not be read, and why
 */
public record HostLook(List<JobObservation> jobs, List<String> problems) {
    /** Between two looks: progress agents say ten times a second that a kernel stands still. */
    public static final Duration SPAN = Duration.ofMillis(250);

    /** Copies. */
    public HostLook {
        jobs = List.copyOf(jobs);
        problems = List.copyOf(problems);
    }

    /** What runtimes of one job have in common. */
    record Job(String name, int nRanks) implements Comparable<Job> {
        @Override
        public int compareTo(Job other) {
            int byName = name.compareTo(other.name);
            return byName == 0 ? Integer.compare(nRanks, other.nRanks) : byName;
        }
    }

    /**
     * Looks twice. Blocks in between.
     *
     * @param entries the runtimes
     * @param span    between the looks
     * @return of those that are there both times
     */
    public static HostLook at(List<RuntimeDirectory.Entry> entries, Duration span) {
        List<String> problems = new ArrayList<>();
        Map<Path, RuntimeLook> before = look(entries, problems);
        problems.clear();
        pass(span.toNanos());
        Map<Job, List<RankObservation>> jobs = new TreeMap<>();
        Instant now = Instant.now();
        look(entries, problems).forEach((path, look) ->
                jobs.computeIfAbsent(new Job(look.job(), look.nRanks()), _ -> new ArrayList<>())
                        .add(look.since(before.getOrDefault(path, look))));
        return new HostLook(jobs.entrySet().stream().map(job -> new JobObservation(job.getKey().name(),
                job.getKey().nRanks(), job.getValue(), now, span)).toList(), problems);
    }

    /** Looks twice at the ranks of a job. Blocks in between. Throws as {@link RuntimeDirectory#list(ProxyConfig)}. */
    static Optional<JobObservation> at(ProxyConfig config, Job job) {
        return at(RuntimeDirectory.list(config).stream()
                .filter(entry -> job(entry.counters()).filter(job::equals).isPresent()).toList(), SPAN)
                .jobs().stream().findFirst();
    }

    /** Whose file it is; empty if it can't be read. */
    static Optional<Job> job(Path counters) {
        try (CountersReader reader = CountersReader.open(counters)) {
            return Optional.of(new Job(reader.job(), reader.nRanks()));
        } catch (ProxyException e) {
            return Optional.empty();
        }
    }

    static void pass(long spanNs) {
        long fromNs = System.nanoTime();
        for (long leftNs = spanNs; leftNs > 0; leftNs = spanNs - (System.nanoTime() - fromNs)) {
            Uninterruptibly.parkNanos(leftNs);
        }
    }

    private static Map<Path, RuntimeLook> look(List<RuntimeDirectory.Entry> entries, List<String> problems) {
        Map<Path, RuntimeLook> looks = new LinkedHashMap<>();
        Map<Long, Optional<ProcessLook>> processes = new HashMap<>();
        for (RuntimeDirectory.Entry entry : entries) {
            try {
                // A process may have a thousand runtimes; one of another namespace may have the number of one of this.
                Optional<ProcessLook> process = !entry.isAlive() || !entry.isVisible() ? Optional.empty()
                        : processes.computeIfAbsent(entry.pid(), _ -> ProcessLook.at(entry));
                looks.put(entry.path(), RuntimeLook.at(entry, process));
            } catch (ProxyException e) {
                // One that was closed meanwhile is not worth a word.
                if (Files.exists(entry.path())) {
                    problems.add("rank " + entry.rank() + ", pid " + entry.pid() + ": " + e.getMessage());
                }
            }
        }
        return looks;
    }
}
