/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Uninterruptibly;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread behind a stream of the host device, and the ring by which it is told what to do. One thread posts;
 * commands are counted from 1, and done in their order. The first that fails is the last that is done: the others are
 * dropped, and count as failed. The thread is started by the first command.
 */
final class HostEngine {
    /** Most commands that are posted and not done. */
    static final int CAPACITY = 1024;

    private static final int MASK = CAPACITY - 1;
    private static final int SPINS = Runtime.getRuntime().availableProcessors() > 1 ? 1000 : 0;
    private static final int YIELDS = 20;
    private static final long NEVER = Long.MAX_VALUE;
    private static final Thread[] NO_THREADS = {};
    private static final VarHandle POSTED = word("posted");
    private static final VarHandle COMPLETED = word("completed");

    private final String name;
    private final Runnable setUp;
    private final int spins;
    private final int yields;
    private final HostCommand[] ring = new HostCommand[CAPACITY];
    private volatile Thread thread;
    private volatile boolean isParked;
    private volatile boolean isClosing;
    private volatile Thread[] sleepers = NO_THREADS;
    /** Stored by the posting thread, loaded by the engine. */
    private long posted;
    /** Stored by the engine, loaded by any thread. */
    private long completed;
    /** The first command that failed; carried to others, with its reason, by {@link #completed}. */
    private volatile long failed = NEVER;
    private ProxyResult reason;
    private String failure = "";

    HostEngine(String name) {
        this(name, SPINS, YIELDS);
    }

    /** With its own idea of how long it looks for work before it sleeps. */
    HostEngine(String name, int spins, int yields) {
        this(name, () -> { }, spins, yields);
    }

    /** With something that its thread does first. */
    HostEngine(String name, Runnable setUp) {
        this(name, setUp, SPINS, YIELDS);
    }

    private HostEngine(String name, Runnable setUp, int spins, int yields) {
        this.name = name;
        this.setUp = setUp;
        this.spins = spins;
        this.yields = yields;
        Arrays.setAll(ring, any -> new HostCommand());
    }

    String name() {
        return name;
    }

    /** How many commands were posted; the posting thread only. */
    long posted() {
        return posted;
    }

    /** Whether there is room for a command; the posting thread only. */
    boolean hasRoom() {
        return posted - completed() < CAPACITY;
    }

    /** The place of the next command, if there is room; the posting thread only. */
    HostCommand next() {
        assert hasRoom() : posted;
        return ring[(int) posted & MASK];
    }

    /** Hands {@link #next()} over; the posting thread only. */
    void post() {
        if (thread == null) {
            // First: if the system has no more threads, nothing was posted.
            thread = Thread.ofPlatform().daemon().name(name).start(this::run);
        }
        POSTED.setRelease(this, posted + 1);
        // Full fence: the store of posted before the load of isParked; pairs with the one in park().
        VarHandle.fullFence();
        if (isParked) {
            LockSupport.unpark(thread);
        }
    }

    /** How many commands are done, failed ones too. Any thread. */
    long completed() {
        return (long) COMPLETED.getAcquire(this);
    }

    /** Whether the commands up to a count are done: 1, 0, or a negated result. Any thread. */
    int query(long count) {
        if (completed() < count) {
            return 0;
        }
        return failed <= count ? -reason.code() : 1;
    }

    /** Whether a command failed. Any thread. */
    boolean hasFailed() {
        return failed != NEVER;
    }

    /** Why; valid once {@link #hasFailed()}. */
    ProxyResult reason() {
        return reason;
    }

    /** Empty, unless {@link #hasFailed()}. */
    String failure() {
        return hasFailed() ? failure : "";
    }

    /** What it is at, for the posting thread, which wrote it. */
    String current() {
        long done = completed();
        return done == posted ? "nothing" : ring[(int) done & MASK].toString();
    }

    /** Waits until {@link #query} is not 0, or the deadline. Any thread. */
    int await(long count, long deadlineNs) {
        for (int i = 0; i < spins && query(count) == 0; i++) {
            Thread.onSpinWait();
        }
        if (query(count) == 0) {
            Thread self = Thread.currentThread();
            sleepers(self, true);
            try {
                sleepUntil(count, deadlineNs);
            } finally {
                sleepers(self, false);
            }
        }
        return query(count);
    }

    private void sleepUntil(long count, long deadlineNs) {
        // Full fence: the store of sleepers before the load of completed; pairs with the one in complete().
        VarHandle.fullFence();
        for (long left = deadlineNs - System.nanoTime(); left > 0 && query(count) == 0
                && !Thread.currentThread().isInterrupted(); left = deadlineNs - System.nanoTime()) {
            LockSupport.parkNanos(this, left);
        }
    }

    /** A command of this engine: waits for another one's, or until this is closed. */
    void awaitOther(HostEngine other, long count) {
        while (other.query(count) == 0 && !isClosing) {
            other.sleepers(Thread.currentThread(), true);
            // As in sleepUntil(); close() unparks as well.
            VarHandle.fullFence();
            if (other.query(count) == 0 && !isClosing) {
                LockSupport.park(this);
            }
            other.sleepers(Thread.currentThread(), false);
        }
        int state = other.query(count);
        if (state <= 0) {
            throw new ProxyException(state == 0 ? ProxyResult.INVALID_USAGE : other.reason,
                    state == 0 ? "it was closed meanwhile" : other.failure);
        }
    }

    /** Drops what has not begun, and waits for what has. Any thread, after the last post. */
    boolean close(Duration timeout) {
        isClosing = true;
        Thread running = thread;
        if (running == null || running == Thread.currentThread()) {
            return true;
        }
        LockSupport.unpark(running);
        return Uninterruptibly.join(running, timeout);
    }

    private void run() {
        setUp.run();
        int turns = 0;
        while (!isClosing) {
            if ((long) POSTED.getAcquire(this) > completed) {
                execute(completed + 1);
                complete(completed + 1);
                turns = 0;
            } else if (turns < spins) {
                turns++;
                Thread.onSpinWait();
            } else if (turns < spins + yields) {
                turns++;
                Thread.yield();
            } else {
                park();
            }
        }
        drop();
    }

    private void execute(long count) {
        if (failed == NEVER) {
            HostCommand command = ring[(int) (count - 1) & MASK];
            try {
                command.execute(this);
            } catch (ProxyException e) {
                fail(count, e.result(), command + ": " + e.getMessage());
            } catch (IllegalStateException e) {
                fail(count, ProxyResult.INVALID_USAGE, command + ": memory was freed while the stream used it");
            } catch (Throwable t) {
                fail(count, ProxyResult.UNHANDLED_DEVICE_ERROR, command + ": " + t);
            }
        }
    }

    private void drop() {
        long done = completed;
        long all = (long) POSTED.getAcquire(this);
        if (all > done) {
            if (failed == NEVER) {
                fail(done + 1, ProxyResult.INVALID_USAGE, (all - done) + " commands had not begun when it was closed");
            }
            complete(all);
        }
    }

    private void fail(long count, ProxyResult why, String what) {
        reason = why;
        failure = "stream " + name + ", command " + count + ", " + what;
        failed = count;
    }

    private void complete(long count) {
        assert completed < count && count <= (long) POSTED.getAcquire(this) : count;
        COMPLETED.setRelease(this, count);
        // Full fence: the store of completed before the load of sleepers; pairs with the ones before the sleeps.
        VarHandle.fullFence();
        for (Thread sleeper : sleepers) {
            LockSupport.unpark(sleeper);
        }
    }

    private void park() {
        isParked = true;
        // Full fence: the store of isParked before the load of posted; pairs with the one in post().
        VarHandle.fullFence();
        if ((long) POSTED.getAcquire(this) == completed && !isClosing) {
            LockSupport.park(this);
        }
        isParked = false;
    }

    private synchronized void sleepers(Thread sleeper, boolean isAdded) {
        Thread[] others = Arrays.stream(sleepers).filter(other -> other != sleeper).toArray(Thread[]::new);
        if (isAdded) {
            others = Arrays.copyOf(others, others.length + 1);
            others[others.length - 1] = sleeper;
        }
        sleepers = others;
    }

    private static VarHandle word(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(HostEngine.class, field, long.class).withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
