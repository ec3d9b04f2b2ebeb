/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.failure;

import io.proxyrt.core.diagnosis.Reason;
import java.util.List;
import java.util.stream.Stream;

/** What a campaign does to a rank, and the reason that is to be found. */
enum InjectedFault {
    /** It does not call what the others do. */
    NOT_CALLED(Reason.NOT_CALLED, true),
    /** It calls, and does not drive what it has called. */
    NOT_DRIVEN(Reason.PROXY, true),
    /** Its process is stopped before it calls. */
    STOPPED(Reason.STOPPED, true),
    /** Its process is stopped amidst collectives. */
    STOPPED_AT_WORK(Reason.STOPPED, false),
    /** Its process is killed amidst collectives. */
    KILLED_AT_WORK(Reason.DEAD, false),
    /** It calls with another count. */
    OTHER_COUNT(Reason.CALLED_OTHER, false, "half"),
    /** It calls with another type. */
    OTHER_TYPE(Reason.CALLED_OTHER, false, "int32"),
    /** It calls with another reduction. */
    OTHER_REDUCTION(Reason.CALLED_OTHER, false, "max"),
    /** It calls another collective. */
    OTHER_COLLECTIVE(Reason.CALLED_OTHER, false, "gather"),
    /** It names another root. */
    OTHER_ROOT(Reason.CALLED_OTHER, false, "broadcast 1", "broadcast 0");

    private final Reason reason;
    private final boolean isRecoverable;
    private final List<String> calls;

    /** What the rank calls, and the others if it is not an all-reduce. */
    InjectedFault(Reason reason, boolean isRecoverable, String... calls) {
        this.reason = reason;
        this.isRecoverable = isRecoverable;
        this.calls = List.of(calls);
    }

    static List<InjectedFault> those(boolean areRecoverable) {
        return Stream.of(values()).filter(fault -> fault.isRecoverable == areRecoverable).toList();
    }

    Reason reason() {
        return reason;
    }

    /** Empty if it is not what the rank calls. */
    String call() {
        return calls.isEmpty() ? "" : calls.getFirst();
    }

    String callOfOthers() {
        return calls.size() < 2 ? "reduce 1" : calls.get(1);
    }
}
