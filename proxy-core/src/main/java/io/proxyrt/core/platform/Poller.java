/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.util.function.IntConsumer;

/** Waits for many descriptors at once. One thread at a time, but for {@link #wakeup()}. */
public interface Poller extends AutoCloseable {
    /**
     * Watches a descriptor, or changes what it is watched for. A peer that hangs up is always reported.
     *
     * @param number  stays the caller's, who {@linkplain #remove removes} it before it closes it
     * @param isRead  whether bytes or peers that come are waited for
     * @param isWrite whether room for bytes is waited for
     */
    void watch(int number, boolean isRead, boolean isWrite);

    /**
     * Watches it no longer.
     *
     * @param number that is watched
     */
    void remove(int number);

    /**
     * Looks, and waits unless something is ready: it is reported again next time, if it is so still.
     *
     * @param maxNs longest wait; 0 only looks
     * @param ready gets the number of each that is ready; may watch and remove
     * @return how many were ready
     */
    int poll(long maxNs, IntConsumer ready);

    /**
     * Its own descriptor, with something to read whenever {@link #poll} would find something: for a thread that only
     * waits.
     *
     * @return at least 0; stays the poller's
     */
    int number();

    /** Ends a {@link #poll} that waits, or the next one at once. Any thread, also after {@link #close()}. */
    void wakeup();

    /** Idempotent. */
    @Override
    void close();
}
