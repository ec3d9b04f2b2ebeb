/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;

/** Runs ranks as threads of this process; when it is asked to end, interrupts them and waits while they clear up. */
public final class RankThreads {
    private static final Duration STOP = Duration.ofMillis(2500);

    private RankThreads() {
    }

    /**
     * Runs ranks and waits for all of them.
     *
     * @param first rank
     * @param count how many from there on
     * @param body  gets the rank, returns its exit status
     * @return the greatest exit status
     */
    public static int run(int first, int count, IntUnaryOperator body) {
        AtomicInteger status = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (int rank = first; rank < first + count; rank++) {
            threads.add(thread(rank, body, status));
        }
        try (ShutdownHook _ = new ShutdownHook(() -> stop(threads))) {
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            stop(threads);
            Thread.currentThread().interrupt();
        }
        return status.get();
    }

    private static Thread thread(int rank, IntUnaryOperator body, AtomicInteger status) {
        return Thread.ofPlatform().name("proxyrt-rank-" + rank).unstarted(() -> {
            int mine = 1;
            try {
                mine = body.applyAsInt(rank);
            } finally {
                status.accumulateAndGet(mine, Math::max);
            }
        });
    }

    private static void stop(List<Thread> threads) {
        threads.forEach(Thread::interrupt);
        long deadline = System.nanoTime() + STOP.toNanos();
        try {
            for (Thread thread : threads) {
                thread.join(Duration.ofNanos(deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
