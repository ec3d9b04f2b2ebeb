/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/**
 * A word in shared memory that one thread waits on until another, of this process or not, wakes it. The waiter reads
 * the word, sees that there is nothing to do, and awaits that very value; the waker changes the word first. So no
 * wake-up is lost. Allocates nothing.
 */
public interface Futex {
    /**
     * Waits for {@link #wake()}, for as long as the word has the expected value. May return early for no reason, a
     * signal for one. One thread at a time.
     *
     * @param expected returns at once if the word is anything else
     * @param maxNs    longest wait, in nanoseconds; returns at once if it is not positive
     */
    void await(int expected, long maxNs);

    /** Wakes all that wait on the word, in whatever process. Any thread; does not block. */
    void wake();
}
