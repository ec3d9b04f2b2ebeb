/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;

/**
 * A file descriptor of this process, with one owner, who closes it once. Any thread. Once it is closed its number may
 * name another file, so a thread that cannot rule out a concurrent close has to {@link #use} it.
 */
public final class OwnedFd implements AutoCloseable {
    private static final int GONE = -1;
    private static final AtomicLong NEXT_ID = new AtomicLong();

    /** The order in which several are locked. */
    private final long id = NEXT_ID.getAndIncrement();
    private final ReentrantLock lock = new ReentrantLock();
    private final IntConsumer closer;
    private volatile int number;

    /**
     * Takes a descriptor over.
     *
     * @param number of this process, at least 0
     * @param closer gives it back to the system
     */
    public OwnedFd(int number, IntConsumer closer) {
        if (number < 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a file descriptor with number " + number);
        }
        this.number = number;
        this.closer = closer;
    }

    /**
     * Its number, which is good until it is closed.
     *
     * @return at least 0
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it is closed or was given away
     */
    public int number() {
        return checked(number);
    }

    /**
     * Does something with its number, while it can be neither closed nor given away.
     *
     * @param action gets the number; must not block, nor use another descriptor that it could meet the other way round
     * @param <T>    of its result
     * @return what the action does
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it is closed or was given away
     */
    public <T> T use(IntFunction<T> action) {
        lock.lock();
        try {
            return action.apply(number());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Does something with the numbers of several, while none can be closed or given away.
     *
     * @param fds    in any order, the same one as often as one likes
     * @param action gets the numbers in the same order; must not block, nor use other descriptors
     * @param <T>    of its result
     * @return what the action does
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if one is closed or was given away
     */
    public static <T> T useAll(List<OwnedFd> fds, Function<int[], T> action) {
        List<OwnedFd> ordered = fds.stream().sorted(Comparator.comparingLong(fd -> fd.id)).toList();
        ordered.forEach(fd -> fd.lock.lock());
        try {
            return action.apply(fds.stream().mapToInt(OwnedFd::number).toArray());
        } finally {
            ordered.forEach(fd -> fd.lock.unlock());
        }
    }

    /**
     * Gives it away: the receiver of the number closes it.
     *
     * @return its number
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it is closed or was given away
     */
    public int release() {
        return checked(take());
    }

    /** Closes it, unless it was given away. Idempotent. */
    @Override
    public void close() {
        int open = take();
        if (open != GONE) {
            closer.accept(open);
        }
    }

    /** Waits until no thread uses it; later callers find it gone. */
    private int take() {
        lock.lock();
        try {
            int open = number;
            number = GONE;
            return open;
        } finally {
            lock.unlock();
        }
    }

    private static int checked(int open) {
        if (open == GONE) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "this file descriptor is closed, or was given away");
        }
        return open;
    }

    @Override
    public String toString() {
        int open = number;
        return open == GONE ? "no file descriptor" : "file descriptor " + open;
    }
}
