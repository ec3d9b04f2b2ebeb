/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.diagnosis.HostLook.Job;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Why a job stands still.
 *
 * @param job      its name
 * @param reason   what keeps it from going on; {@link Reason#NONE} if it goes on, or has nothing to do
 * @param culprits the ranks that owe something; empty if there are none
 * @param sentence who waits for whom and why, for people
 * @param edges    who waits for whom
 */
public record Diagnosis(String job, Reason reason, List<Integer> culprits, String sentence, List<WaitEdge> edges) {
    /** Copies. */
    public Diagnosis {
        culprits = List.copyOf(culprits);
        edges = List.copyOf(edges);
    }

    private static final long FRESH_NS = Duration.ofSeconds(1).toNanos();
    private static final Object LOCK = new Object();
    private static Shared shared;

    /** The last one that a rank of this process asked for. */
    private record Shared(String place, Job job, Optional<Diagnosis> found, long takenNs) {
    }

    /**
     * Finds out why the job of a runtime of this process stands still, as far as ranks of this host tell, and others if
     * the waiting leads there. Blocks for a quarter of a second, and as long as it takes to read all ranks' files, or
     * until another thread has the answer; for some seconds at most if other hosts have to be asked. The ranks of a
     * process share one for a second: a thousand that stand still together do not each read the files of a thousand.
     *
     * @param config of the runtime
     * @param folder of its files
     * @param words  of its communicators
     * @param remote the way to ranks of other hosts
     * @return empty if the files can't be read
     * @throws ProxyException as {@link RuntimeDirectory#list(ProxyConfig)}
     */
    public static Optional<Diagnosis> ofJobOf(ProxyConfig config, Path folder, CallWords words, RemoteRanks remote) {
        // Files of a thread that was interrupted before cannot be read.
        return Uninterruptibly.call(() -> look(config, folder, words, remote));
    }

    private static Optional<Diagnosis> look(ProxyConfig config, Path folder, CallWords words, RemoteRanks remote) {
        Job job = RuntimeDirectory.find(folder).flatMap(entry -> HostLook.job(entry.counters())).orElse(null);
        if (job == null) {
            return Optional.empty();
        }
        String place = RuntimeDirectory.place(config);
        synchronized (LOCK) {
            boolean isFresh = shared != null && shared.job.equals(job) && shared.place.equals(place)
                    && System.nanoTime() - shared.takenNs < FRESH_NS;
            if (!isFresh) {
                Optional<Diagnosis> found = HostLook.at(config, job)
                        .map(seen -> RemoteLook.goOn(seen, words,
                                ranks -> Optional.of(RemoteAnswers.ask(remote, ranks))));
                shared = new Shared(place, job, found, System.nanoTime());
            }
            return shared.found;
        }
    }

    /**
     * Who owes what, if anything stands still.
     *
     * @return the sentence; empty if there is no reason
     */
    public String why() {
        return reason == Reason.NONE ? "" : sentence;
    }

    /**
     * Tells another host what this one sees of a rank. Reads its files.
     *
     * @param config of a runtime of this process that is part of the job
     * @param folder of its files
     * @param rank   of the job, that one or another
     * @return for {@link RemoteRanks#ask}; empty if the rank is not seen from here
     * @throws ProxyException if the files can't be read
     */
    public static Optional<byte[]> tellOf(ProxyConfig config, Path folder, int rank) {
        return RuntimeImage.of(config, folder, rank).map(RuntimeImage::encode);
    }

    /**
     * Finds out why a job stands still; if the waiting leads to ranks that are not seen from here, by way of a runtime
     * of the job that is. Then it blocks for some seconds.
     *
     * @param job      what is seen
     * @param words    of its communicators
     * @param runtimes of this host, of any jobs
     * @return never null
     */
    public static Diagnosis ofAll(JobObservation job, CallWords words, List<RuntimeDirectory.Entry> runtimes) {
        Optional<Job> which = Optional.of(new Job(job.job(), job.nRanks()));
        return RemoteLook.goOn(job, words, ranks -> Question.ask(runtimes.stream().filter(entry -> entry.isAlive()
                && HostLook.job(entry.counters()).equals(which)).toList(), ranks));
    }

    /**
     * Finds out why a job stands still. The same for the same observation.
     *
     * @param job   what is seen; no number in it is believed
     * @param words of its communicators
     * @return never null
     */
    public static Diagnosis of(JobObservation job, CallWords words) {
        return new Inquiry(job, words).diagnosis();
    }
}
