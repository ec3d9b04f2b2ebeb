/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import java.time.Duration;

/** Timeouts of any length as nanoseconds. */
final class Timeouts {
    /** Longer than any process lives; twice as much still fits. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Timeouts() {
    }

    static long nanos(Duration timeout) {
        return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
    }

    /** What is left until a time of {@link System#nanoTime()}; not less than zero. */
    static Duration until(long deadlineNs) {
        return Duration.ofNanos(Math.max(0, deadlineNs - System.nanoTime()));
    }
}
