/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.counters.ActiveOp;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * What is seen of one rank.
 *
 * @param rank          of the job
 * @param pid           of its process
 * @param process       whether it runs
 * @param heartbeatAge  since its progress agent was last at work; empty if it never was
 * @param hasThreads    false if the caller drives its progress agent
 * @param noCpu         the largest part of the time between two looks that one of its threads waited for a CPU: 0 to 1;
 *                      0 if all of them together had more than a tenth of one
 * @param hasMoved      whether anything of it moved between two looks
 * @param ops           that its progress agent works on
 * @param kernels       that stand still
 * @param notFetched    ops that were posted and not fetched
 * @param communicators what they were asked for
 * @param failure       its first; empty if there was none
 */
public record RankObservation(int rank, long pid, Process process, Optional<Duration> heartbeatAge,
        boolean hasThreads, double noCpu, boolean hasMoved, List<ActiveOp> ops, List<KernelWait> kernels,
        long notFetched, List<CommunicatorCalls> communicators, String failure) {
    /** Copies. */
    public RankObservation {
        ops = List.copyOf(ops);
        kernels = List.copyOf(kernels);
        communicators = List.copyOf(communicators);
    }

    /** State of a process. */
    public enum Process {
        /** It is there. */
        RUNNING,
        /** A signal or a debugger has stopped it. */
        STOPPED,
        /** It is gone. */
        DEAD
    }

    /**
     * A kernel that stands still.
     *
     * @param what  it is and waits for, for people
     * @param still since it last moved
     */
    public record KernelWait(String what, Duration still) {
        /** As kernels of the host name a connection's other end. */
        private static final Pattern PEER = Pattern.compile("(?:from|until) rank (\\d{1,9})\\b");

        /**
         * The ranks that it waits for.
         *
         * @return lowest first
         */
        public SortedSet<Integer> peers() {
            SortedSet<Integer> peers = new TreeSet<>();
            PEER.matcher(what).results().map(MatchResult::group)
                    .forEach(found -> peers.add(Integer.parseInt(found.substring(found.lastIndexOf(' ') + 1))));
            return peers;
        }

        /** Of what it waits for, the first clause that names a rank; without the name of its stream. */
        String clause(int peer) {
            String[] clauses = what.replaceFirst("^\\S+: ", "").split("; ");
            Pattern named = Pattern.compile("(?:from|until) rank " + peer + "\\b");
            String head = clauses[0].substring(0, clauses[0].lastIndexOf(": ") + 1);
            for (int i = 0; i < clauses.length; i++) {
                if (named.matcher(clauses[i]).find()) {
                    return i == 0 || head.isEmpty() ? clauses[i] : head + " " + clauses[i];
                }
            }
            return what;
        }
    }
}
