/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.Uninterruptibly;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * Two threads that run one {@link HostStream}, a pass at a time: its own, as an agent, and the caller's while it waits
 * for kernels. Who waits comes first, for it would only burn a CPU beside the other thread, and hear later of what is
 * done. So a rank that launches and waits keeps two CPUs busy, its own and progress's, and not three.
 *
 * <p>Where waits follow launches at once, time after time, the stream's thread is not needed: it is <em>on call</em>,
 * sleeps and looks by the clock whether kernels are left to it; so no launch pays for waking it. The first that is ends
 * this, for then the caller computes: it began when it was launched, and goes on within a millisecond.
 */
public final class StreamTurns implements Agent {
    /** From the first launch to the wait: more than it takes to launch some, less than what is worth an overlap. */
    static final long PROMPT_NS = 20_000;
    /** So many prompt waits in a row put the stream's thread on call. */
    static final int PROMPT_WAITS = 8;
    /** The longest sleep of a thread that is not woken: on call, or while a kernel waits for a peer. */
    private static final long POLL_NS = 1_000_000;

    private final HostStream stream;
    private final LongSupplier clock;
    private final AtomicBoolean isTaken = new AtomicBoolean();
    private volatile boolean isClaimed;
    private volatile boolean isOnCall;
    /** Of the stream's thread: whether its last pass left a kernel that had begun. */
    private boolean isAtKernel;
    /** Of the stream's thread: how many launches there were when it last looked by the clock. */
    private long seenLaunches;
    /** Of the caller, as are the next two: when it launched first since its last wait, if it did. */
    private long launchedNs;
    private boolean isLaunched;
    private int promptWaits;

    StreamTurns(HostStream stream, LongSupplier clock) {
        this.stream = stream;
        this.clock = clock;
    }

    /** The caller has launched: if no other thread is about to run the kernel, it begins here. Does not block. */
    public void launched() {
        if (isOnCall) {
            drive();
        } else if (!isLaunched) {
            isLaunched = true;
            launchedNs = clock.getAsLong();
        }
    }

    /**
     * The caller waits from here on, and {@linkplain #drive() runs} the kernels meanwhile: the stream's thread leaves
     * them alone after the pass that it is in. Does not block.
     */
    public void claim() {
        isClaimed = true;
        if (isLaunched) {
            isLaunched = false;
            promptWaits = clock.getAsLong() - launchedNs < PROMPT_NS ? promptWaits + 1 : 0;
            if (promptWaits == PROMPT_WAITS) {
                promptWaits = 0;
                isOnCall = true;
            }
        }
    }

    /** The caller waits no longer: what is left is the stream's thread's. Wakes it if need be, and does not block. */
    public void release() {
        isClaimed = false;
        // Full fence: the store of isClaimed before the load of the sleeper; pairs with the one in park().
        VarHandle.fullFence();
        if (stream.outstanding() > 0) {
            stream.wakeSleeper();
        }
    }

    /**
     * Runs kernels on the calling thread, which has {@linkplain #claim claimed} them. Bounded; does not block.
     *
     * @return greater than 0 if anything moved; 0 also while the stream's thread is in a pass
     */
    public int drive() {
        if (!isTaken.compareAndSet(false, true)) {
            return 0;
        }
        try {
            return stream.doWork();
        } finally {
            isTaken.setRelease(false);
        }
    }

    /** Whether launches do without the stream's thread. */
    boolean isOnCall() {
        return isOnCall;
    }

    @Override
    public String name() {
        return stream.name();
    }

    /** The first kernel that is left to a thread on call is not the last one. */
    @Override
    public int doWork() {
        if (stream.outstanding() == 0) {
            isAtKernel = false;
            return 0;
        }
        if (isClaimed || !isTaken.compareAndSet(false, true)) {
            return 0;
        }
        try {
            int moved = stream.doWork();
            isAtKernel = stream.isAtKernel();
            if (moved > 0 && isOnCall) {
                isOnCall = false;
            }
            return moved;
        } finally {
            isTaken.setRelease(false);
        }
    }

    @Override
    public boolean isWoken() {
        return !isClaimed && stream.outstanding() == 0;
    }

    @Override
    public void park(long maxNs) {
        long ns = announce(maxNs);
        if (ns > 0) {
            LockSupport.parkNanos(ns);
        }
        awake();
    }

    /**
     * The stream's thread is about to sleep; {@link #awake} is to follow. Only one that has nothing to do is woken by
     * launches. Returns for how long it may sleep, as far as this stream goes; 0: not at all.
     */
    long announce(long maxNs) {
        if (isAtKernel || isOnCall && isAnyLaunched()) {
            return Math.min(maxNs, POLL_NS);
        }
        stream.sleeper(Thread.currentThread());
        // Full fence: the store of the sleeper before the loads of isClaimed and of what is launched; pairs with the
        // ones in release() and HostStream.launch().
        VarHandle.fullFence();
        if (isWoken()) {
            return maxNs;
        }
        return isClaimed || !stream.isAnyQueued() ? Math.min(maxNs, POLL_NS) : 0;
    }

    /** The stream's thread does not sleep any more. */
    void awake() {
        stream.sleeper(null);
    }

    /** Drops what is left, after the caller's pass if it is in one. */
    @Override
    public void onClose() {
        while (!isTaken.compareAndSet(false, true)) {
            Thread.onSpinWait();
        }
        dropTaken();
    }

    /** As {@link #onClose}, unless the pass takes longer: then all is dropped once it is over. Returns if it is. */
    boolean close(long deadlineNs) {
        stream.abort();
        while (!isTaken.compareAndSet(false, true)) {
            if (System.nanoTime() - deadlineNs >= 0) {
                return false;
            }
            Uninterruptibly.parkNanos(POLL_NS);
        }
        dropTaken();
        return true;
    }

    private void dropTaken() {
        try {
            stream.onClose();
        } finally {
            isTaken.setRelease(false);
        }
    }

    /** Since the last look; if not, it may sleep until there is a launch. */
    private boolean isAnyLaunched() {
        long launches = stream.launched();
        boolean isAny = launches != seenLaunches;
        seenLaunches = launches;
        return isAny;
    }
}
