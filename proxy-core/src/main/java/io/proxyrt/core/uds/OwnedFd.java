/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.uds;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** A file descriptor of this process, with somebody who closes it, once. Any thread. */
public final class OwnedFd implements AutoCloseable {
    private static final int GONE = -1;

    private final AtomicInteger number;
    private final IntConsumer closer;

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
        this.number = new AtomicInteger(number);
        this.closer = closer;
    }

    /**
     * Its number.
     *
     * @return at least 0
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it is closed or was given away
     */
    public int number() {
        return checked(number.get());
    }

    /**
     * Gives it away: whoever gets the number closes it.
     *
     * @return its number
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if it is closed or was given away
     */
    public int release() {
        return checked(number.getAndSet(GONE));
    }

    /** Closes it, unless it was given away. Idempotent. */
    @Override
    public void close() {
        int open = number.getAndSet(GONE);
        if (open != GONE) {
            closer.accept(open);
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
        int open = number.get();
        return open == GONE ? "no file descriptor" : "file descriptor " + open;
    }
}
