/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits for what comes by itself. The limit ends a hang; no test is judged by how long it took. */
public final class Await {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final long PAUSE_NS = 100_000;

    private Await() {
    }

    /**
     * Blocks the calling thread until a condition holds.
     *
     * @param condition looked at again and again, by the calling thread
     * @param what      that did not come, for the error
     * @throws AssertionError after three minutes
     */
    public static void until(BooleanSupplier condition, Supplier<String> what) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - startNs >= LIMIT.toNanos()) {
                throw new AssertionError("not within " + LIMIT + ": " + what.get());
            }
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
