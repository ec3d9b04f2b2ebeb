/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import java.util.List;

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
