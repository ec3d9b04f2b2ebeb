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

    private static final long FRESH_NS = Duration.ofSeconds(1).toNanos();
    private static final Object LOCK = new Object();
    private static Shared shared;

    /** Copies. */
    public HostLook {
        jobs = List.copyOf(jobs);
        problems = List.copyOf(problems);
    }

    private record Job(String name, int nRanks) implements Comparable<Job> {
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
        Map<Path, RuntimeLook> before = new HashMap<>();
        look(entries, problems).forEach(look -> before.put(look.entry().path(), look));
        problems.clear();
        pass(span.toNanos());
        Map<Job, List<RankObservation>> jobs = new TreeMap<>();
        Instant now = Instant.now();
        for (RuntimeLook look : look(entries, problems)) {
            jobs.computeIfAbsent(new Job(look.job(), look.nRanks()), _ -> new ArrayList<>())
                    .add(look.since(before.getOrDefault(look.entry().path(), look), now));
        }
        return new HostLook(jobs.entrySet().stream().map(job -> new JobObservation(job.getKey().name(),
                job.getKey().nRanks(), job.getValue(), now, span)).toList(), problems);
    }

    /**
     * Looks twice at the ranks of a runtime's job. Blocks in between. The ranks of a process share a look for a second:
     * a thousand that stand still together do not each read the files of a thousand.
     *
     * @param config of the runtime
     * @param folder of its files
     * @return empty if the files can't be read
     * @throws ProxyException as {@link RuntimeDirectory#list(ProxyConfig)}
     */
    public static Optional<JobObservation> atJobOf(ProxyConfig config, Path folder) {
        List<RuntimeDirectory.Entry> all = RuntimeDirectory.list(config);
        Optional<Job> own = all.stream().filter(entry -> entry.path().equals(folder)).findFirst()
                .flatMap(HostLook::job);
        if (own.isEmpty()) {
            return Optional.empty();
        }
        synchronized (LOCK) {
            if (shared == null || !shared.isOf(config, own.get())) {
                Optional<JobObservation> seen = at(all.stream().filter(entry -> job(entry).equals(own)).toList(), SPAN)
                        .jobs().stream().findFirst();
                shared = new Shared(RuntimeDirectory.place(config), own.get(), seen, System.nanoTime());
            }
            return shared.seen;
        }
    }

    /** The last look of this process at a job of its own. */
    private record Shared(String place, Job job, Optional<JobObservation> seen, long takenNs) {
        boolean isOf(ProxyConfig config, Job other) {
            return job.equals(other) && place.equals(RuntimeDirectory.place(config))
                    && System.nanoTime() - takenNs < FRESH_NS;
        }
    }

    private static Optional<Job> job(RuntimeDirectory.Entry entry) {
        try (CountersReader reader = CountersReader.open(entry.counters())) {
            return Optional.of(new Job(reader.job(), reader.nRanks()));
        } catch (ProxyException e) {
            return Optional.empty();
        }
    }

    private static void pass(long spanNs) {
        long fromNs = System.nanoTime();
        for (long leftNs = spanNs; leftNs > 0; leftNs = spanNs - (System.nanoTime() - fromNs)) {
            Uninterruptibly.parkNanos(leftNs);
        }
    }

    private static List<RuntimeLook> look(List<RuntimeDirectory.Entry> entries, List<String> problems) {
        List<RuntimeLook> looks = new ArrayList<>();
        for (RuntimeDirectory.Entry entry : entries) {
            try {
                looks.add(RuntimeLook.at(entry));
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
