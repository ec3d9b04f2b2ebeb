/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What all ends of the locked pool share: RCCL's {@code nextOps} and {@code freeOps} with their mutex and condition. An
 * op is known by its index, {@code lane · capacity + slot}; links are indexes, -1 for none.
 */
final class LockedOps implements PostOrder, Doorbell {
    static final int NONE = -1;

    final int[] next;
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition posted = mutex.newCondition();
    /** Heads of the free lists. */
    private final AtomicIntegerArray free;
    /** Written under the mutex, read by {@link #hasPosted()} without. */
    private volatile int nextOps = NONE;
    private int nextOpsEnd = NONE;
    private boolean isRung;
    private Runnable wakeup = () -> { };

    LockedOps(int lanes, int capacity) {
        next = new int[lanes * capacity];
        free = new AtomicIntegerArray(lanes);
        for (int i = 0; i < next.length; i++) {
            next[i] = (i + 1) % capacity == 0 ? NONE : i + 1;
        }
        for (int lane = 0; lane < lanes; lane++) {
            free.set(lane, lane * capacity);
        }
    }

    @Override
    public Poster poster(OpsLane lane) {
        return new LockedPoster(lane, this);
    }

    @Override
    public Fetcher fetcher(OpsLane[] lanes) {
        return new LockedFetcher(this, lanes.length, next.length / lanes.length);
    }

    @Override
    public Doorbell doorbell() {
        return this;
    }

    /** RCCL's {@code ncclProxyPost}: links a chain in, and wakes the consumer if there was nothing before. */
    void post(int head, int tail) {
        mutex.lock();
        try {
            assert (nextOps == NONE) == (nextOpsEnd == NONE) : nextOps;
            if (nextOps == NONE) {
                nextOps = head;
                posted.signal();
                wakeup.run();
            } else {
                next[nextOpsEnd] = head;
            }
            nextOpsEnd = tail;
        } finally {
            mutex.unlock();
        }
    }

    /** Takes all that was posted; {@link #NONE} if there is nothing, or a poster holds the mutex. */
    int takePosted() {
        if (nextOps == NONE || !mutex.tryLock()) {
            return NONE;
        }
        try {
            int head = nextOps;
            nextOps = NONE;
            nextOpsEnd = NONE;
            return head;
        } finally {
            mutex.unlock();
        }
    }

    /** Takes the whole free list of a lane; {@link #NONE} if it is empty. Its poster. */
    int takeFree(int lane) {
        return free.getAndSet(lane, NONE);
    }

    /** Puts a chain in front of the free list of a lane. */
    void give(int lane, int head, int tail) {
        int first = free.get(lane);
        next[tail] = first;
        while (!free.compareAndSet(lane, first, head)) {
            first = free.get(lane);
            next[tail] = first;
        }
    }

    boolean hasPosted() {
        return nextOps != NONE;
    }

    @Override
    public boolean arm() {
        mutex.lock();
        try {
            boolean wasRung = isRung;
            isRung = false;
            return !wasRung;
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void sleep(long maxNs) {
        mutex.lock();
        try {
            long remainingNs = maxNs;
            while (nextOps == NONE && !isRung && remainingNs > 0) {
                remainingNs = posted.awaitNanos(remainingNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void disarm() {
        // Nothing was announced: the mutex keeps posts and sleep apart.
    }

    @Override
    public void ring() {
        mutex.lock();
        try {
            isRung = true;
            posted.signal();
            wakeup.run();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void ringIfArmed() {
        ring();
    }

    @Override
    public void wakeBy(Runnable otherWakeup) {
        wakeup = otherWakeup;
    }

    @Override
    public boolean isHeardAcrossProcesses() {
        return false;
    }
}
