/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for futures, with a deadline, in whatever threading mode. */
final class Awaiter {
    private static final long SLICE_MS = 50;
    /** Enough for what this runtime's own agents answer; a peer may never do so once the job has failed. */
    private static final long ABORTED_NS = 1_000_000_000;

    private Awaiter() {
    }

    /** Ends with the cause soon after the runtime was aborted. */
    static <T> T await(CompletableFuture<T> future, Duration timeout, String what, IdleStrategy idle,
            AgentThreads threads) {
        long deadline = System.nanoTime() + Timeouts.nanos(timeout);
        Agent parker = new Parker(what);
        boolean isAborted = false;
        while (!isDone(future, threads.isInvoker())) {
            if (!isAborted && threads.aborted() != null) {
                isAborted = true;
                deadline = Math.min(deadline, System.nanoTime() + ABORTED_NS);
            }
            if (System.nanoTime() - deadline >= 0) {
                throw late(what, timeout, threads.aborted());
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, what + ": interrupted");
            }
            if (threads.isInvoker()) {
                idle.idle(threads.invoke(true), parker);
            }
        }
        return value(future, what);
    }

    private static ProxyException late(String what, Duration timeout, ProxyException aborted) {
        return aborted == null
                ? new ProxyException(ProxyResult.TIMEOUT, what + ": not done within " + timeout.toMillis() + " ms")
                : new ProxyException(aborted.result(), what + ": " + aborted.getMessage(), aborted);
    }

    private static boolean isDone(CompletableFuture<?> future, boolean isInvoker) {
        if (isInvoker) {
            return future.isDone();
        }
        try {
            future.get(SLICE_MS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static <T> T value(CompletableFuture<T> future, String what) {
        try {
            return future.join();
        } catch (java.util.concurrent.CompletionException e) {
            if (e.getCause() instanceof ProxyException failure) {
                throw new ProxyException(failure.result(), what + ": " + failure.getMessage(), failure);
            }
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, what + ": " + e.getCause(), e.getCause());
        }
    }

    /** Only parks. */
    private record Parker(String name) implements Agent {
        @Override
        public int doWork() {
            return 0;
        }
    }
}
