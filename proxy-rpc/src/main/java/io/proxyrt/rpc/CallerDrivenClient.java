/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.BlockingClient;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A session with a loop of its own that its callers take turns to drive. One of those who wait leads: it writes and
 * reads for all. The others sleep until their answer is there or the lead is free. A caller that stops waiting, for
 * whatever reason, wakes another one if none leads; so a call is never left alone.
 */
final class CallerDrivenClient implements BlockingClient {
    private final TurnLoop loop;
    private final RpcClient client;
    private final long spinNs;
    private final AtomicBoolean isLed = new AtomicBoolean();
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private final Consumer<CallerDrivenClient> onClosed;
    private volatile boolean isClosed;

    /** Takes over a loop and the client that lives in it. */
    CallerDrivenClient(TurnLoop loop, RpcClient client, long spinNs, Consumer<CallerDrivenClient> onClosed) {
        this.loop = loop;
        this.client = client;
        this.spinNs = spinNs;
        this.onClosed = onClosed;
    }

    private enum Outcome { PENDING, DONE, LATE, INTERRUPTED }

    /** What a caller waits for, and since when. */
    private record Wait(CompletableFuture<?> awaited, long startNs, long patienceNs) {
        Outcome outcome() {
            if (awaited.isDone()) {
                return Outcome.DONE;
            }
            if (Thread.currentThread().isInterrupted()) {
                return Outcome.INTERRUPTED;
            }
            return leftNs() <= 0 ? Outcome.LATE : Outcome.PENDING;
        }

        long leftNs() {
            return patienceNs - (System.nanoTime() - startNs);
        }
    }

    /** Opens the session; it is closed if that fails. */
    void open(Duration timeout) {
        client.open();
        try {
            await(client.opened(), timeout, "opening a session");
        } catch (Throwable t) {
            close();
            throw t;
        }
    }

    @Override
    public ByteBuffer call(MessageType type, long connectionId, ByteBuffer request, Duration timeout) {
        if (Thread.currentThread().isInterrupted()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, type + " was not sent to " + client.service()
                    + ": the thread is interrupted");
        }
        return await(client.call(type, connectionId, request), timeout, type);
    }

    private <T> T await(CompletableFuture<T> awaited, Duration timeout, Object what) {
        Outcome outcome = await(new Wait(awaited, System.nanoTime(), nanos(timeout)));
        if (outcome == Outcome.LATE) {
            awaited.completeExceptionally(new ProxyException(ProxyResult.TIMEOUT, what + " was not answered by "
                    + client.service() + " within " + timeout.toMillis() + " ms"));
        } else if (outcome == Outcome.INTERRUPTED) {
            awaited.completeExceptionally(new ProxyException(ProxyResult.INVALID_USAGE,
                    "the thread was interrupted while " + what + " was outstanding at " + client.service()));
        }
        if (awaited.state() == Future.State.SUCCESS) {
            return awaited.resultNow();
        }
        ProxyException failure = (ProxyException) awaited.exceptionNow();
        throw new ProxyException(failure.result(), failure.getMessage(), failure);
    }

    private Outcome await(Wait wait) {
        Thread self = Thread.currentThread();
        if (isLed.compareAndSet(false, true)) {
            return lead(wait);
        }
        waiting.add(self);
        wait.awaited.whenComplete((result, failure) -> LockSupport.unpark(self));
        try {
            Outcome outcome = wait.outcome();
            while (outcome == Outcome.PENDING) {
                if (isLed.compareAndSet(false, true)) {
                    return lead(wait);
                }
                LockSupport.parkNanos(this, wait.leftNs());
                outcome = wait.outcome();
            }
            return outcome;
        } finally {
            waiting.remove(self);
            passOn();
        }
    }

    private Outcome lead(Wait wait) {
        try {
            loop.runPending();
            Outcome outcome = wait.outcome();
            while (outcome == Outcome.PENDING) {
                if (System.nanoTime() - wait.startNs < spinNs) {
                    loop.turn();
                } else {
                    loop.park(wait.leftNs());
                }
                outcome = wait.outcome();
            }
            return outcome;
        } finally {
            isLed.set(false);
            passOn();
        }
    }

    /** Wakes a waiting caller to lead, if none does; the last one closes the loop. */
    private void passOn() {
        if (isClosed) {
            closeLoop();
        } else if (!isLed.get()) {
            LockSupport.unpark(waiting.peek());
        }
    }

    @Override
    public boolean isOpen() {
        return client.isOpen();
    }

    @Override
    public void close() {
        client.close();
        isClosed = true;
        closeLoop();
        onClosed.accept(this);
    }

    /** Leaves the loop led for good: no caller may drive it any more. One that leads now closes it in the end. */
    private void closeLoop() {
        if (isLed.compareAndSet(false, true)) {
            loop.close();
        }
    }

    private static long nanos(Duration timeout) {
        return timeout.compareTo(Duration.ofDays(1)) > 0 ? Duration.ofDays(1).toNanos() : timeout.toNanos();
    }

    @Override
    public String toString() {
        return "blocking " + client;
    }
}
