/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.LockSupport;

/**
 * Futures of launches that are under way. While there are any, a thread of the communicator looks, in place of a caller
 * that waits, whether anything moves, and whether the ranks agree. Any thread.
 */
final class Completions {
    private final CommunicatorParts parts;
    private final Duration timeout;
    private final SingleUser user;
    private final String name;
    private final Pace pace;
    private final Executor dependents;
    private final ConcurrentLinkedQueue<Pending> pending = new ConcurrentLinkedQueue<>();
    private boolean isWatched;
    private volatile boolean isClosed;

    Completions(CommunicatorParts parts, Pace pace) {
        this.parts = parts;
        this.timeout = parts.timeout;
        this.user = parts.user;
        this.name = "proxyrt-completions-" + parts.proxy.rank();
        this.pace = pace;
        this.dependents = parts.setup.isOnGpu() ? ForkJoinPool.commonPool() : Thread::startVirtualThread;
    }

    /** How often the thread looks. */
    @FunctionalInterface
    interface Pace {
        /** Until the next look, after so long without one that is done; in nanoseconds. */
        long ns(long waitedNs);
    }

    /** Whether what a future is for is done, for who asks; any thread. */
    @FunctionalInterface
    interface Done {
        /** True once it is, or if the future learns of it by itself. */
        boolean isDone();
    }

    private record Pending(CompletableFuture<Void> future, Done done) {
    }

    /** Of what was launched last; a caller's thread. */
    CompletableFuture<Void> add(Done done) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        pending.add(new Pending(future, done));
        synchronized (this) {
            if (!isWatched) {
                isWatched = true;
                start();
            }
        }
        return future;
    }

    /** Drivers of GPUs are called by platform threads. */
    private void start() {
        Thread.Builder thread = parts.setup.isOnGpu() ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
        thread.name(name).start(this::watch);
    }

    /** On a thread of its own: what depends on it is the user's, and may block. */
    void complete(CompletableFuture<Void> future) {
        dependents.execute(() -> future.complete(null));
    }

    /** The same; it is asked of all ranks what failed. */
    void fail(CompletableFuture<Void> future) {
        dependents.execute(() -> future.completeExceptionally(why()));
    }

    private ProxyException why() {
        ProxyException failure = parts.proxy.asyncResult().failure();
        return failure == null ? new ProxyException(ProxyResult.INVALID_USAGE, "rank " + parts.proxy.rank()
                + ": the communicator was closed before it was done") : parts.failure.of(failure);
    }

    /** Fails what is left; nothing runs any more. */
    void close() {
        isClosed = true;
        failAll();
    }

    private void failAll() {
        for (Pending next = pending.poll(); next != null; next = pending.poll()) {
            if (!next.future.isDone()) {
                fail(next.future);
            }
        }
    }

    private void watch() {
        StreamWaiter.Standstill standstill = new StreamWaiter.Standstill();
        long begunNs = System.nanoTime();
        while (isAnyLeft()) {
            LockSupport.parkNanos(pace.ns(System.nanoTime() - begunNs));
            if (parts.failure.isKnown()) {
                failAll();
            }
            if (completeFirst() || !look(standstill)) {
                begunNs = System.nanoTime();
            }
        }
    }

    /** Launches end in their order. Returns whether any has. */
    private boolean completeFirst() {
        boolean isAny = false;
        for (Pending next = pending.peek(); next != null && isOver(next); next = pending.peek()) {
            pending.poll();
            isAny = true;
        }
        return isAny;
    }

    private boolean isOver(Pending next) {
        if (next.future.isDone()) {
            return true;
        }
        if (next.done.isDone()) {
            complete(next.future);
            return true;
        }
        return false;
    }

    /** As a caller that waits, unless there is one. Returns whether there is none. */
    private boolean look(StreamWaiter.Standstill standstill) {
        if (isClosed || parts.proxy.isInvoker() || !user.enterWatch()) {
            standstill.begin();
            return false;
        }
        try {
            parts.look(standstill, timeout);
        } catch (ProxyException e) {
            // It has ended all that runs: the futures hear of it.
            assert parts.failure.isKnown() : e;
        } finally {
            user.exitWatch();
        }
        return true;
    }

    private synchronized boolean isAnyLeft() {
        isWatched = !pending.isEmpty() && !isClosed;
        return isWatched;
    }
}
