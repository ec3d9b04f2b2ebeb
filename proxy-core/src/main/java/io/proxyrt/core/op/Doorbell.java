/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.op;

/**
 * How a consumer sleeps until something is posted. The consumer arms it, looks once more whether there is work, and
 * only then sleeps; the thread that made work visible rings it. {@link #arm()} and {@link #ringIfArmed()} each put a
 * full fence between the store they announce and the load that follows, so at least one of the two sides sees the
 * other: no wake-up is lost.
 */
interface Doorbell {
    /** The consumer is about to sleep. False if it was rung since it last slept; then it is not armed. */
    boolean arm();

    /** Sleeps until it is rung, for no reason, or until the time has passed; while armed. */
    void sleep(long maxNs);

    /** The consumer is awake. */
    void disarm();

    /** Ends the consumer's sleep, or the one it is about to begin. Any thread, any process. */
    void ring();

    /** Rings if the consumer sleeps or is about to; after something was made visible. Costs a fence and a load. */
    void ringIfArmed();

    /** The consumer sleeps elsewhere: what ends that, instead of {@link #sleep}. Before the first arm. */
    void wakeBy(Runnable wakeup);

    /** Whether a ring from another process ends a sleep. */
    boolean isHeardAcrossProcesses();
}
