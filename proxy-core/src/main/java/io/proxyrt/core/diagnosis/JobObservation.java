/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * What is seen of a job.
 *
 * @param job    its name
 * @param nRanks of it, those that are not seen included
 * @param ranks  those that are seen
 * @param time   of the look
 * @param span   what has not moved for less is taken to move
 * @param silent ranks that are not seen, and of which their hosts were asked in vain
 */
public record JobObservation(String job, int nRanks, List<RankObservation> ranks, Instant time, Duration span,
        Set<Integer> silent) {
    /** Copies. */
    public JobObservation {
        ranks = List.copyOf(ranks);
        silent = Set.copyOf(silent);
    }

    /**
     * By the files of this host alone.
     *
     * @param job    its name
     * @param nRanks of it, those that are not seen included
     * @param ranks  those that are seen
     * @param time   of the look
     * @param span   what has not moved for less is taken to move
     */
    public JobObservation(String job, int nRanks, List<RankObservation> ranks, Instant time, Duration span) {
        this(job, nRanks, ranks, time, span, Set.of());
    }
}
