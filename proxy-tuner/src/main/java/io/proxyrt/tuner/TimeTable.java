/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Arrays;
import java.util.Optional;

/**
 * How long a call takes by each algorithm and protocol: NCCL's {@code collCostTable}. One thread at a time.
 */
public final class TimeTable {
    /** The time of what is not possible: {@code NCCL_ALGO_PROTO_IGNORE}. */
    public static final double IGNORED = -1;

    private final double[] timesUs = new double[Way.all().size()];

    /** A table of which nothing is possible. */
    public TimeTable() {
        Arrays.fill(timesUs, IGNORED);
    }

    /**
     * The same in a table of its own.
     *
     * @return the caller's own
     */
    public TimeTable copy() {
        TimeTable copy = new TimeTable();
        System.arraycopy(timesUs, 0, copy.timesUs, 0, timesUs.length);
        return copy;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TimeTable that && Arrays.equals(timesUs, that.timesUs);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(timesUs);
    }

    /**
     * Of a way.
     *
     * @param way any
     * @return µs, or {@link #IGNORED}
     */
    public double timeUs(Way way) {
        return timesUs[way.index()];
    }

    /**
     * Whether a way is possible.
     *
     * @param way any
     * @return false if it is ignored
     */
    public boolean isPossible(Way way) {
        return timesUs[way.index()] >= 0;
    }

    /**
     * Says how long a way takes.
     *
     * @param way    any
     * @param timeUs 0, which asks for this way, or more; all below 0 is {@link #IGNORED}
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is no number
     */
    public void set(Way way, double timeUs) {
        if (Double.isNaN(timeUs)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "the time of " + way + " is no number");
        }
        timesUs[way.index()] = timeUs < 0 ? IGNORED : timeUs;
    }

    /**
     * The way with the smallest time; of equal ones the first in the order of NCCL's numbers.
     *
     * @return empty if none is possible
     */
    public Optional<Way> fastest() {
        int best = -1;
        for (int i = 0; i < timesUs.length; i++) {
            if (timesUs[i] >= 0 && (best < 0 || timesUs[i] < timesUs[best])) {
                best = i;
            }
        }
        return best < 0 ? Optional.empty() : Optional.of(Way.all().get(best));
    }
}
