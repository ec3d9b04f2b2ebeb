/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * A thread that sets a connection up, where that may block: a queue pair resolves its peer's address.
 *
 * @param <C> what comes of it
 */
final class Attempt<C extends AutoCloseable> implements AutoCloseable {
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Thread thread;
    private C made;
    private ProxyException failure;
    private boolean isOver;
    private volatile boolean isCancelled;

    private Attempt(String name, Function<BooleanSupplier, C> action) {
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(() -> run(action));
    }

    /** Starts a thread; the action is told whether it is cancelled. */
    static <C extends AutoCloseable> Attempt<C> start(String name, Function<BooleanSupplier, C> action) {
        Attempt<C> attempt = new Attempt<>(name, action);
        attempt.thread.start();
        return attempt;
    }

    private void run(Function<BooleanSupplier, C> action) {
        C result = null;
        ProxyException why = null;
        try {
            result = action.apply(() -> isCancelled);
        } catch (ProxyException e) {
            why = e;
        } catch (RuntimeException | Error e) {
            why = new ProxyException(ProxyResult.INTERNAL_ERROR, "setting a connection up failed: " + e, e);
        }
        if (!isLeft(result, why)) {
            close(result);
        }
    }

    /** Leaves the outcome for the caller; false if the attempt was given up. */
    private synchronized boolean isLeft(C result, ProxyException why) {
        made = isCancelled ? null : result;
        failure = why;
        isOver = true;
        return !isCancelled;
    }

    /** What came of it, which is the caller's from now on; null if nothing has yet. Throws why nothing will. */
    synchronized C poll() {
        if (failure != null) {
            throw failure;
        }
        C result = made;
        made = null;
        return result;
    }

    /** Whether it has ended. */
    synchronized boolean isOver() {
        return isOver;
    }

    /** Has it end soon, so that several can be closed within the time of one. */
    synchronized void cancel() {
        isCancelled = true;
    }

    /** Cancels it. What it made, or is still going to make, is closed unless it was handed over. Idempotent. */
    @Override
    public void close() {
        abandon();
        Uninterruptibly.join(thread, CLOSE_TIMEOUT);
    }

    /** As {@link #close}, and its thread may take a while to end. */
    void abandon() {
        C unclaimed;
        synchronized (this) {
            cancel();
            unclaimed = made;
            made = null;
        }
        close(unclaimed);
    }

    private void close(C result) {
        if (result == null) {
            return;
        }
        try {
            result.close();
        } catch (Exception e) {
            IbNet.LOG.warn("{}: what an attempt made that was given up did not close cleanly: {}", thread.getName(),
                    e.toString());
        }
    }
}
