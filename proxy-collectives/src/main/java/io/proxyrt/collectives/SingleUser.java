/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Sees to it that a communicator has one user at a time. Which of two threads comes first is chance, and so is then
 * what the ranks combine with what: so the second one that launches ends the communicator, at all ranks. What a call
 * did is visible to the next one, also of another thread.
 */
final class SingleUser {
    private static final long POLL_NS = 100_000;
    private static final Object CLOSED = "closed";
    /** It looks, launches nothing, and leaves soon. */
    private static final Object WATCH = "watch";

    private final String self;
    private final FirstFailure failure;
    /** The thread that is in a call; null between calls, {@link #CLOSED} after the last one. */
    private final AtomicReference<Object> user = new AtomicReference<>();

    /** Of a rank's communicator, which fails when threads mix. */
    SingleUser(String self, FirstFailure failure) {
        this.self = self;
        this.failure = failure;
    }

    /** Begins a call that launches, which finds out by itself whether anything has failed; {@link #exit} ends it. */
    void enterLaunch(String call) {
        Object other = take(Thread.currentThread());
        if (other != null) {
            ProxyException refusal = refusal(call, other);
            if (other != CLOSED && other != Thread.currentThread()) {
                failure.of(refusal);
            }
            throw refusal;
        }
    }

    /** Begins a call that launches nothing, whatever has failed; {@link #exit} ends it. */
    void enterAnyway(String call) {
        Object other = take(Thread.currentThread());
        if (other != null) {
            throw refusal(call, other);
        }
    }

    /** Begins a call that launches nothing, if nothing has failed; {@link #exit} ends it. */
    void enter(String call) {
        enterAnyway(call);
        if (failure.isKnown()) {
            exit();
            failure.check();
        }
    }

    /** Returns who is in a call, and may have left since; null if none was. */
    private Object take(Object newUser) {
        Object other = user.compareAndExchange(null, newUser);
        while (other == WATCH) {
            Thread.yield();
            other = user.compareAndExchange(null, newUser);
        }
        return other;
    }

    /** Begins to look whether what was launched goes on. Returns false while a thread is in a call. */
    boolean enterWatch() {
        return user.compareAndSet(null, WATCH);
    }

    void exitWatch() {
        assert user.getPlain() == WATCH : describe();
        user.setRelease(null);
    }

    private boolean isMine() {
        return user.getAcquire() == Thread.currentThread();
    }

    /** Of what is given to a group: it is of use to that thread, until the group ends. */
    void requireInside() {
        if (!isMine()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, self + ": " + name(Thread.currentThread())
                    + " uses the calls of a group that has ended, or is another thread's");
        }
    }

    void exit() {
        assert user.getPlain() == Thread.currentThread() : describe();
        user.setRelease(null);
    }

    /** Begins the last call. Returns false while another thread is in one. */
    boolean enterLast() {
        return isClosed() || take(CLOSED) == null;
    }

    /** As {@link #enterLast()}, but waits for the other thread, which is about to leave. */
    boolean enterLast(long deadlineNs) {
        while (!enterLast()) {
            if (System.nanoTime() - deadlineNs >= 0) {
                return false;
            }
            Uninterruptibly.parkNanos(POLL_NS);
        }
        return true;
    }

    /** Who is in a call, for people. */
    String describe() {
        return describe(user.getAcquire());
    }

    boolean isClosed() {
        return user.getAcquire() == CLOSED;
    }

    private static String describe(Object who) {
        return who instanceof Thread thread ? name(thread) : "a thread";
    }

    private ProxyException refusal(String call, Object other) {
        if (other == CLOSED) {
            return new ProxyException(ProxyResult.INVALID_USAGE, self + ": " + call + ": the communicator is closed");
        }
        if (other == Thread.currentThread()) {
            return new ProxyException(ProxyResult.INVALID_USAGE, self + ": " + call + " is called inside a group: make"
                    + " the calls of a group on what the group gives to them, and all others outside");
        }
        return new ProxyException(ProxyResult.INVALID_USAGE, self + ": " + name(Thread.currentThread()) + " calls "
                + call + " while " + describe(other) + " is in a call: a communicator is for one thread at a time");
    }

    private static String name(Thread thread) {
        return "thread \"" + thread.getName() + "\" (#" + thread.threadId() + ")";
    }
}
