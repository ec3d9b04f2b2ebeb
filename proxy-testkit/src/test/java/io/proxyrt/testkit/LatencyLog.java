/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.util.Arrays;

/** How long calls took. Any thread. */
final class LatencyLog {
    private long[] samples = new long[1 << 12];
    private int count;

    synchronized void add(long ns) {
        if (count == samples.length) {
            samples = Arrays.copyOf(samples, 2 * count);
        }
        samples[count++] = ns;
    }

    synchronized int count() {
        return count;
    }

    /** What was logged since the last look. */
    synchronized Quantiles take() {
        long[] sorted = Arrays.copyOf(samples, count);
        Arrays.sort(sorted);
        count = 0;
        return new Quantiles(sorted.length, at(sorted, 50), at(sorted, 99));
    }

    private static long at(long[] sorted, int percent) {
        return sorted.length == 0 ? 0 : sorted[(sorted.length - 1) * percent / 100] / 1000;
    }

    /**
     * Of a number of calls.
     *
     * @param count of the calls
     * @param p50   in microseconds
     * @param p99   in microseconds
     */
    record Quantiles(int count, long p50, long p99) {
        @Override
        public String toString() {
            return p50 + "/" + p99 + " us";
        }
    }
}
