/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.why;

import io.proxyrt.collectives.kernel.OpCallWords;
import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.HostLook;
import io.proxyrt.core.diagnosis.JobObservation;
import io.proxyrt.core.diagnosis.Straggler;
import io.proxyrt.core.diagnosis.WaitEdge;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Why jobs stand still. Its components are the fields of the JSON document.
 *
 * @param time     of the look
 * @param jobs     by name
 * @param problems files that could not be read, and why
 */
public record WhyView(Instant time, List<Entry> jobs, List<String> problems) {
    /**
     * Looks at runtimes. Takes a quarter of a second, and some seconds for each job of which other hosts have to be
     * asked.
     *
     * @param runtimes whole jobs of them
     * @return what is found
     */
    public static WhyView at(List<RuntimeDirectory.Entry> runtimes) {
        HostLook look = HostLook.at(runtimes, HostLook.SPAN);
        return new WhyView(Instant.now(), look.jobs().stream()
                .map(job -> Entry.of(job, Diagnosis.ofAll(job, new OpCallWords(), runtimes))).toList(),
                look.problems());
    }

    /**
     * A job.
     *
     * @param job      its name
     * @param reason   a word or two; none if nothing stands still
     * @param culprits the ranks that owe something
     * @param sentence for people
     * @param waits    who waits for whom
     * @param late     the rank that calls last most of the time
     */
    public record Entry(String job, String reason, List<Integer> culprits, String sentence, List<Wait> waits,
            Optional<Late> late) {
        static Entry of(JobObservation job, Diagnosis found) {
            return new Entry(found.job(), found.reason().label(), found.culprits(), found.sentence(),
                    found.edges().stream().map(Wait::of).toList(), Straggler.of(job).map(Late::of));
        }
    }

    /**
     * A rank that the others wait for again and again.
     *
     * @param rank           of the job
     * @param timesLast      how often it called last
     * @param collectives    of how many
     * @param usualSeconds   after all others
     * @param longestSeconds after all others
     * @param sentence       for people
     */
    public record Late(int rank, int timesLast, int collectives, double usualSeconds, double longestSeconds,
            String sentence) {
        static Late of(Straggler found) {
            return new Late(found.rank(), found.timesLast(), found.collectives(), found.usualSeconds(),
                    found.longestSeconds(), found.sentence());
        }
    }

    /**
     * That a rank waits.
     *
     * @param from         the rank that waits
     * @param to           the rank that it waits for, or itself
     * @param what         it waits for
     * @param stillSeconds since it last moved
     */
    public record Wait(int from, int to, String what, double stillSeconds) {
        static Wait of(WaitEdge edge) {
            return new Wait(edge.from(), edge.to(), edge.what(), edge.still().toMillis() / 1000.0);
        }
    }
}
