/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.why;

import io.proxyrt.core.diagnosis.Diagnosis;
import io.proxyrt.core.diagnosis.WaitEdge;
import java.time.Instant;
import java.util.List;

/**
 * Why jobs stand still. Its components are the fields of the JSON document.
 *
 * @param time     of the look
 * @param jobs     by name
 * @param problems files that could not be read, and why
 */
record WhyView(Instant time, List<Entry> jobs, List<String> problems) {
    /**
     * A job.
     *
     * @param job      its name
     * @param reason   a word or two; none if nothing stands still
     * @param culprits the ranks that owe something
     * @param sentence for people
     * @param waits    who waits for whom
     */
    record Entry(String job, String reason, List<Integer> culprits, String sentence, List<Wait> waits) {
        static Entry of(Diagnosis found) {
            return new Entry(found.job(), found.reason().label(), found.culprits(), found.sentence(),
                    found.edges().stream().map(Wait::of).toList());
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
    record Wait(int from, int to, String what, double stillSeconds) {
        static Wait of(WaitEdge edge) {
            return new Wait(edge.from(), edge.to(), edge.what(), edge.still().toMillis() / 1000.0);
        }
    }
}
