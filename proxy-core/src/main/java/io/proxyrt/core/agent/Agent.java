/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import java.util.concurrent.locks.LockSupport;

/**
 * A duty that some thread carries out: a dedicated one, one shared with other agents, or the caller's own. All methods
 * but {@link #wakeup(Thread)} are called by one thread at a time.
 */
public interface Agent {
    /**
     * Its standard name, which its thread gets too.
     *
     * @return such as {@code proxy-progress-0}
     */
    String name();

    /**
     * Does what can be done now. Bounded, and never blocks.
     *
     * @return how much was done, 0 for nothing
     */
    int doWork();

    /**
     * Waits for work, or for {@link #wakeup(Thread)}, or for the time to pass. May return early for no reason.
     *
     * @param maxNs longest wait, in nanoseconds
     */
    default void park(long maxNs) {
        LockSupport.parkNanos(maxNs);
    }

    /**
     * Announces that its thread is about to sleep, elsewhere than in {@link #park(long)}: for agents that share it.
     *
     * @return false if there is something to do, and so nothing to {@linkplain #disarm() take back}
     */
    default boolean arm() {
        return true;
    }

    /** Its thread is awake again, after an {@link #arm()} that returned true. */
    default void disarm() {
    }

    /**
     * Whether, as things stand, whatever will give it work also ends its park: then it may park for long. Otherwise it
     * polls something, and has to look again soon.
     *
     * @return false unless the agent knows better
     */
    default boolean isWoken() {
        return false;
    }

    /**
     * Ends a {@link #park(long)} that another thread sits in. Any thread.
     *
     * @param runner the thread that runs this agent; null if the caller drives it
     */
    default void wakeup(Thread runner) {
        LockSupport.unpark(runner);
    }

    /** Gives back what the agent holds; called once, after the last {@link #doWork()}, by the thread that ran it. */
    default void onClose() {
    }
}
