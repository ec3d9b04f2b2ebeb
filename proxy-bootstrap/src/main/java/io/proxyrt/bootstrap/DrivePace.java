/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How often threads that wait drive what others may wait for: ranks of a process share its CPUs, and the more there
 * are, the longer each leaves them to the others. Thread-safe.
 */
final class DrivePace {
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PAUSE_NS_A_RANK = TimeUnit.MICROSECONDS.toNanos(20);

    private final AtomicInteger ranks = new AtomicInteger();

    /** Runs a rank's thread, which counts meanwhile. */
    void during(Runnable rank) {
        ranks.incrementAndGet();
        try {
            rank.run();
        } finally {
            ranks.decrementAndGet();
        }
    }

    /** Between two drives. */
    long pauseNs() {
        return Math.clamp(ranks.get() * PAUSE_NS_A_RANK, PAUSE_NS, MAX_PAUSE_NS);
    }
}
