/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/** One blocking call's patience: looks a while, then sleeps in slices, until its time is over. */
final class Waiting {
    /** After which an interrupt, or the end of the session, is noticed. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(50);
    /** After which the driver runs again. */
    private static final long DRIVEN_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration LONGEST = Duration.ofDays(365);

    private final String what;
    private final Duration timeout;
    private final Runnable driver;
    /** Throws once there is nothing to wait for any more. */
    private final Runnable check;
    private final long deadlineNs;
    private final long spinUntilNs;
    private String trouble = "";

    Waiting(UdsContext context, String what, Duration timeout, Runnable driver) {
        this(context, what, timeout, driver, () -> { });
    }

    Waiting(UdsContext context, String what, Duration timeout, Runnable driver, Runnable check) {
        long nowNs = System.nanoTime();
        this.what = "rank " + context.self().rank() + ": " + what;
        this.timeout = timeout;
        this.driver = driver;
        this.check = check;
        this.deadlineNs = nowNs + (timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST).toNanos();
        this.spinUntilNs = nowNs + context.settings().spinNs();
    }

    /**
     * Lets some time pass.
     *
     * @param sleep for so long at most; not used while it still pays to look
     * @throws ProxyException {@link ProxyResult#TIMEOUT}, or {@link ProxyResult#INVALID_USAGE} if interrupted
     */
    void once(LongConsumer sleep) {
        long nowNs = System.nanoTime();
        if (deadlineNs - nowNs <= 0) {
            throw timeout();
        }
        if (Thread.currentThread().isInterrupted()) {
            throw interrupted(null);
        }
        check.run();
        if (driver != null) {
            driver.run();
        }
        if (spinUntilNs - nowNs > 0) {
            Thread.onSpinWait();
        } else {
            sleep.accept(Math.min(driver == null ? SLICE_NS : DRIVEN_NS, deadlineNs - nowNs));
        }
    }

    /** Lets so much time pass, for this reason. */
    void pause(long pauseNs, String why) {
        trouble = why;
        long endNs = System.nanoTime() + pauseNs;
        for (long leftNs = pauseNs; leftNs > 0; leftNs = endNs - System.nanoTime()) {
            long mostNs = leftNs;
            once(maxNs -> LockSupport.parkNanos(Math.min(maxNs, mostNs)));
        }
    }

    /** Takes the lock, while the driver runs, which the lock's holder may wait for. */
    void lock(ReentrantLock lock) {
        try {
            while (!lock.tryLock(driver == null ? deadlineNs - System.nanoTime() : 0, TimeUnit.NANOSECONDS)) {
                once(maxNs -> { });
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw interrupted(e);
        }
    }

    private ProxyException timeout() {
        return new ProxyException(ProxyResult.TIMEOUT, what + ": not done within " + timeout.toMillis() + " ms"
                + (trouble.isEmpty() ? "" : "; at last " + trouble));
    }

    private ProxyException interrupted(InterruptedException cause) {
        return new ProxyException(ProxyResult.INVALID_USAGE, what + ": interrupted", cause);
    }

    @Override
    public String toString() {
        return what;
    }
}
