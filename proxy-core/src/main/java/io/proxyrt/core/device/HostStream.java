/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;

/**
 * Runs kernels one after the other, in the order of their launch, as a GPU's stream does. An agent: a thread of its own
 * runs it, the caller, or both in {@linkplain #turns() turns}. One thread at a time launches.
 */
public final class HostStream implements Agent {
    /** Most kernels launched and not retired. */
    public static final int CAPACITY = 1024;

    private static final int KERNELS_PER_PASS = 16;
    /** Between two looks whether a kernel waits in vain: a power of two. */
    private static final int IDLE_PASSES = 64;

    private final String name;
    private final StreamTurns turns = new StreamTurns(this, System::nanoTime);
    private final SpscVarHandleArrayQueue<HostKernel> queue = new SpscVarHandleArrayQueue<>(CAPACITY);
    private HostKernel current;
    private long retiredCount;
    private long moveCount;
    private long watchedMoves;
    private long stillSinceNs = System.nanoTime();
    private final AtomicLong launched = new AtomicLong();
    private int idlePasses;
    private final AtomicLong retired = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong moves = new AtomicLong();
    private volatile boolean isAborted;
    private volatile ProxyException failure;
    /** As it said itself. */
    private volatile String firstDropped = "";
    private volatile Thread parked;
    private volatile Consumer<ProxyException> onFailure = failure -> { };

    /**
     * A stream that no thread runs yet.
     *
     * @param name for its thread
     */
    public HostStream(String name) {
        this.name = name;
    }

    /**
     * Queues a kernel; the launching thread only.
     *
     * @param kernel not launched and not retired so far
     * @return false if {@link #CAPACITY} kernels are queued: drive or wait, then launch again
     */
    public boolean launch(HostKernel kernel) {
        if (!queue.offer(kernel)) {
            return false;
        }
        launched.setRelease(launched.getPlain() + 1);
        assert outstanding() >= 0 && outstanding() <= CAPACITY + 1 : outstanding();
        // Full fence: the offer before the load of parked; pairs with the volatile store of the one that parks, before
        // its look at the queue. One of the two sides sees the other.
        VarHandle.fullFence();
        wakeSleeper();
        return true;
    }

    /** Wakes the thread that sleeps until there are kernels, if there is one. */
    void wakeSleeper() {
        Thread sleeper = parked;
        if (sleeper != null) {
            wakeup(sleeper);
        }
    }

    /**
     * For two threads that run the stream: its own, and the one that waits for it.
     *
     * @return of this stream; in place of it, for both
     */
    public StreamTurns turns() {
        return turns;
    }

    /**
     * How many kernels were launched and are not retired. Any thread; exact on the launching one.
     *
     * @return 0 when the stream is idle
     */
    public long outstanding() {
        return launched.getAcquire() - retired.getAcquire();
    }

    /**
     * What was launched and did not finish. Any thread; complete once the stream has ended.
     *
     * @return one line for people, with what the first of the kernels says of itself; empty if all finished
     */
    public String abandoned() {
        long count = outstanding() + dropped.getAcquire();
        return count == 0 ? "" : name + ": " + count + (count == 1 ? " kernel" : " kernels")
                + " launched and not finished" + (firstDropped.isEmpty() ? "" : "; the first: " + firstDropped);
    }

    /**
     * Changes whenever a kernel moves anything. Any thread.
     *
     * @return only ever grows
     */
    public long moves() {
        return moves.getOpaque();
    }

    /**
     * Why a kernel gave up; then the stream drops it and all others. Any thread.
     *
     * @return null if none did
     */
    public ProxyException failure() {
        return failure;
    }

    /**
     * Sets who is told why a kernel gave up; on the thread that runs the stream.
     *
     * @param listener called once at most
     */
    public void onFailure(Consumer<ProxyException> listener) {
        onFailure = listener;
    }

    /**
     * What runs, and how much waits behind it. Any thread; what it says may be over by then.
     *
     * @return one line for people; empty if nothing runs
     */
    public String describe() {
        HostKernel running = current;
        if (running == null) {
            return "";
        }
        String behind = queue.isEmpty() ? "" : "; " + queue.size() + " kernels behind it";
        try {
            return name + ": " + running + behind;
        } catch (RuntimeException e) {
            // It has gone on meanwhile.
            return name + ": a kernel that moves" + behind;
        }
    }

    /**
     * Whether kernels are there and none has moved anything since the last call; for the one thread that watches.
     *
     * @param nowNs of the monotonic clock
     * @return false also where nothing is launched
     */
    public boolean isStill(long nowNs) {
        long now = moves() + retired.getAcquire();
        if (now != watchedMoves || outstanding() == 0) {
            watchedMoves = now;
            stillSinceNs = nowNs;
            return false;
        }
        return true;
    }

    /**
     * When {@link #isStill} was last false; for the one thread that watches.
     *
     * @return of the monotonic clock
     */
    public long stillSinceNs() {
        return stillSinceNs;
    }

    /** Drops all kernels, running, queued and to come. Any thread. */
    public void abort() {
        isAborted = true;
    }

    @Override
    public String name() {
        return name;
    }

    /** A kernel that finishes makes room for the next one in the same pass. */
    @Override
    public int doWork() {
        int moved = 0;
        for (int kernels = 0; kernels < KERNELS_PER_PASS && (current != null || takeNext()); kernels++) {
            moved += run();
            if (current != null) {
                break;
            }
        }
        if (moved > 0) {
            moveCount += moved;
            moves.setOpaque(moveCount);
        } else if (current != null && (++idlePasses & IDLE_PASSES - 1) == 0) {
            moved = endHopeless();
        }
        return moved;
    }

    /** A peer that is gone may have done its part: what it stored is visible to who knows that it is gone. */
    private int endHopeless() {
        if (whyHopeless() == null) {
            return 0;
        }
        int moved = run();
        ProxyException why = current == null || moved > 0 ? null : whyHopeless();
        return why == null ? moved : fail(why);
    }

    /** A kernel that is asked looks at its data, and may find other things wrong. */
    private ProxyException whyHopeless() {
        try {
            ProxyException why = current.whyHopeless();
            return why == null ? null
                    : new ProxyException(why.result(), why.getMessage() + "; " + name + ": " + current, why);
        } catch (ProxyException | IllegalStateException e) {
            return failure(e);
        }
    }

    @Override
    public boolean isWoken() {
        return current == null;
    }

    /** Drops what is left. */
    @Override
    public void onClose() {
        isAborted = true;
        while (current != null || takeNext()) {
            retire(true);
        }
    }

    /** For a kernel that waits for a peer it is no news that others are launched behind it. */
    @Override
    public void park(long maxNs) {
        if (current != null) {
            Agent.super.park(maxNs);
            return;
        }
        sleeper(Thread.currentThread());
        if (!isAnyQueued()) {
            Agent.super.park(maxNs);
        }
        sleeper(null);
    }

    /** Who is woken by launches from here on; null for no one. */
    void sleeper(Thread thread) {
        parked = thread;
    }

    /** Whether kernels wait for their turn. Any thread. */
    boolean isAnyQueued() {
        return !queue.isEmpty();
    }

    /** How many kernels were launched. Any thread. */
    long launched() {
        return launched.getAcquire();
    }

    /** Whether a kernel has begun and not ended; the thread that runs the stream only. */
    boolean isAtKernel() {
        return current != null;
    }

    private boolean takeNext() {
        current = queue.poll();
        return current != null;
    }

    private int run() {
        if (isAborted) {
            return retire(true);
        }
        int moved;
        try {
            moved = current.doWork();
        } catch (ProxyException | IllegalStateException e) {
            return fail(failure(e));
        }
        return current.isDone() ? moved + retire(false) : moved;
    }

    private ProxyException failure(RuntimeException ofKernel) {
        return ofKernel instanceof ProxyException known ? known
                : new ProxyException(ProxyResult.REMOTE_ERROR, name + ": memory was freed while a kernel used it: a"
                        + " peer deregistered it or is gone, or its user freed it: " + ofKernel.getMessage(),
                        ofKernel);
    }

    private int fail(ProxyException why) {
        failure = why;
        isAborted = true;
        onFailure.accept(why);
        return retire(true);
    }

    private int retire(boolean isDropped) {
        HostKernel kernel = current;
        current = null;
        if (isDropped) {
            note(kernel);
        }
        kernel.onRetired(isDropped);
        // Pairs with the acquire load in outstanding: the results of the kernel are visible.
        retired.setRelease(++retiredCount);
        return 1;
    }

    private void note(HostKernel kernel) {
        if (dropped.getPlain() == 0) {
            try {
                firstDropped = kernel.toString();
            } catch (IllegalStateException e) {
                firstDropped = "one whose memory was freed";
            }
        }
        dropped.setRelease(dropped.getPlain() + 1);
    }
}
