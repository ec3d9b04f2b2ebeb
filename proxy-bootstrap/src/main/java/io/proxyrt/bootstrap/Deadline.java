/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A moment until which something may take, and the time that was allowed for it. */
record Deadline(long atNs, Duration total) {
    /** Ten years: more than any job lives, and far from overflow in any unit. */
    static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(3650);

    /** From now on; throws {@code INVALID_ARGUMENT} for a negative duration or none. */
    static Deadline in(Duration total) {
        return new Deadline(System.nanoTime() + nanos(total), total);
    }

    /** Nanoseconds left; zero or less when it has passed. */
    long remainingNs() {
        return atNs - System.nanoTime();
    }

    /** Milliseconds left, rounded up; zero when it has passed. */
    long remainingMillis() {
        return TimeUnit.NANOSECONDS.toMillis(Math.max(0, remainingNs()) + TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }

    boolean isPast() {
        return remainingNs() <= 0;
    }

    /** A checked duration in nanoseconds, at most ten years. */
    static long nanos(Duration duration) {
        if (duration == null || duration.isNegative()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a timeout must not be negative: " + duration);
        }
        final Duration longest = Duration.ofMillis(MAX_MILLIS);
        return (duration.compareTo(longest) > 0 ? longest : duration).toNanos();
    }

    /** A checked duration in milliseconds, rounded up, at most ten years. */
    static long millis(Duration duration) {
        return TimeUnit.NANOSECONDS.toMillis(nanos(duration) + TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }
}
