/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits of a clean-up: an interruption shortens none of them, and the calling thread is interrupted again when they are
 * over. Any thread.
 */
public final class Uninterruptibly {
    /** Longer than any process lives; twice as much still fits. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Uninterruptibly() {
    }

    /**
     * Waits for a thread that was started to end.
     *
     * @param thread  another one
     * @param timeout at most so long
     * @return false if it still runs
     */
    public static boolean join(Thread thread, Duration timeout) {
        long deadline = System.nanoTime() + nanos(timeout);
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return thread.join(Duration.ofNanos(Math.max(0, deadline - System.nanoTime())));
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        } finally {
            restore(isInterrupted);
        }
    }

    /**
     * Waits for an answer.
     *
     * @param <T>     its type
     * @param future  that is to have it
     * @param timeout at most so long
     * @return the answer
     * @throws ExecutionException if there is none
     * @throws TimeoutException   if it does not come in time
     */
    public static <T> T get(Future<T> future, Duration timeout) throws ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + nanos(timeout);
        boolean isInterrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return future.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        } finally {
            restore(isInterrupted);
        }
    }

    /**
     * Parks the calling thread for a moment. A thread that is interrupted already parks as any other, so that no loop
     * of such moments spins.
     *
     * @param maxNs at most so long, in nanoseconds
     */
    public static void parkNanos(long maxNs) {
        boolean isInterrupted = Thread.interrupted();
        try {
            LockSupport.parkNanos(maxNs);
        } finally {
            restore(isInterrupted);
        }
    }

    /**
     * Runs what would take an interruption from before for its own.
     *
     * @param action on the calling thread
     */
    public static void run(Runnable action) {
        call(() -> {
            action.run();
            return null;
        });
    }

    /**
     * As {@link #run}, for an answer.
     *
     * @param <T>    its type
     * @param action on the calling thread
     * @return the answer
     */
    public static <T> T call(Supplier<T> action) {
        boolean isInterrupted = Thread.interrupted();
        try {
            return action.get();
        } finally {
            restore(isInterrupted);
        }
    }

    private static long nanos(Duration timeout) {
        return (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
    }

    private static void restore(boolean isInterrupted) {
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
