/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import io.proxyrt.core.counters.EventType;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is known of a runtime over a time. Times are nanoseconds since the epoch.
 *
 * @param job      its name
 * @param rank     of it
 * @param nRanks   of its job
 * @param pid      of its process
 * @param process  running, stopped, dead, or a copy of its file
 * @param failure  its first; empty if there was none
 * @param originNs when the clock of its host was 0, as far as it knows
 * @param untilNs  of the last that is known
 * @param ops      by their beginning
 * @param calls    what its communicators were asked for
 * @param marks    what went wrong, and for how long
 */
public record RankTrace(String job, int rank, int nRanks, long pid, String process, String failure,
        long originNs, long untilNs, List<OpSpan> ops, List<Call> calls, List<Mark> marks) {
    static final int MAX_RANKS = 1_000_000;
    static final String COPY = "a copy";

    /** Copies. */
    public RankTrace {
        ops = List.copyOf(ops);
        calls = List.copyOf(calls);
        marks = List.copyOf(marks);
    }

    /**
     * Something that a communicator was asked for.
     *
     * @param communicator its name
     * @param number       of the collective; 0 for a message
     * @param what         it was
     * @param timeNs       when
     * @param isKnownEnded whether its caller knows that it has ended
     */
    public record Call(String communicator, long number, String what, long timeNs, boolean isKnownEnded) {
        /**
         * Its number, if it has one, and what it was.
         *
         * @return for people
         */
        public String title() {
            return number == 0 ? what : "#" + number + " " + what;
        }

        Call shifted(long byNs) {
            return new Call(communicator, number, what, Nanos.plus(timeNs, byNs), isKnownEnded);
        }
    }

    /**
     * A wait, a standstill, or an error, which takes no time.
     *
     * @param thread  whose
     * @param type    of it
     * @param what    it is, for people
     * @param startNs when it began
     * @param endNs   when it ended, or until when it is known not to have
     */
    public record Mark(String thread, EventType type, String what, long startNs, long endNs) {
        /**
         * Whether it is an error, which takes no time.
         *
         * @return false for a wait
         */
        public boolean isMoment() {
            return type != EventType.STALLED && type != EventType.WAITS;
        }

        Mark shifted(long byNs) {
            return new Mark(thread, type, what, Nanos.plus(startNs, byNs), Nanos.plus(endNs, byNs));
        }
    }

    /** The first moment of which something is known. */
    long fromNs() {
        return Stream.of(ops.stream().map(OpSpan::startNs), calls.stream().map(Call::timeNs),
                marks.stream().map(Mark::startNs)).flatMap(times -> times).min(Long::compare).orElse(untilNs);
    }

    /** The same by a clock that is ahead by so much. */
    RankTrace shifted(long byNs) {
        return byNs == 0 ? this : new RankTrace(job, rank, nRanks, pid, process, failure,
                Nanos.plus(originNs, byNs), Nanos.plus(untilNs, byNs),
                ops.stream().map(op -> op.shifted(byNs)).toList(),
                calls.stream().map(call -> call.shifted(byNs)).toList(),
                marks.stream().map(mark -> mark.shifted(byNs)).toList());
    }
}
