/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.trace;

import java.time.Duration;
import java.time.Instant;

/** Times of a file that may claim any: nanoseconds since the epoch, never before it, and so few that no sum wraps. */
final class Nanos {
    private static final long S = 1_000_000_000;
    private static final long FARTHEST_S = 2_200_000_000L;
    private static final long FARTHEST = FARTHEST_S * S;

    private Nanos() {
    }

    static long of(Instant time) {
        return plus(Math.clamp(time.getEpochSecond(), 0, FARTHEST_S) * S, time.getNano());
    }

    static long of(Duration span) {
        return plus(Math.clamp(span.getSeconds(), 0, FARTHEST_S) * S, span.getNano());
    }

    static long ofMillis(long ms) {
        return Math.clamp(ms, 0, FARTHEST_S) * 1_000_000;
    }

    static long plus(long timeNs, long spanNs) {
        return Math.clamp(timeNs + limited(spanNs), 0, FARTHEST);
    }

    /** A span to either side. */
    static long limited(long spanNs) {
        return Math.clamp(spanNs, -FARTHEST, FARTHEST);
    }
}
