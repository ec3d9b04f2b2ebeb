/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.counters;

import java.util.Locale;

/**
 * Whether a runtime does its work, as its mapped files and the system's word on its process have it.
 *
 * @param rank  of the runtime
 * @param pid   of its process
 * @param state how it fares
 * @param why   for people; empty if it is healthy
 */
public record RuntimeHealth(int rank, long pid, State state, String why) {
    /** How a runtime fares; the first that applies. */
    public enum State {
        /** Its process is gone. */
        DEAD,
        /** A signal or a debugger has stopped its process. */
        STOPPED,
        /** Its files can't be read. */
        UNREADABLE,
        /** It has failed: its first failure is known. */
        FAILED,
        /** Its progress thread is not at work; never of a runtime that its caller drives. */
        SILENT,
        /** An op or a kernel has not moved for longer than it may. What it waits for may be another rank's fault. */
        STILL,
        /** None of these. */
        HEALTHY
    }

    /**
     * Whether nothing is wrong.
     *
     * @return true of {@link State#HEALTHY}
     */
    public boolean isHealthy() {
        return state == State.HEALTHY;
    }

    @Override
    public String toString() {
        return "rank " + rank + " (pid " + pid + "): " + state.name().toLowerCase(Locale.ROOT)
                + (why.isEmpty() ? "" : ": " + why);
    }
}
