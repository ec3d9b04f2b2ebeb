/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes the one thread that parks on a network. It says first that it parks, then looks at the count; whoever rings
 * counts first, then looks who parks: one of the two sees the other.
 */
final class RingBell {
    private final AtomicLong rings = new AtomicLong();
    private volatile Thread parked;
    private long heard;

    void ring() {
        rings.incrementAndGet();
        Thread thread = parked;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    void park(long maxNs) {
        parked = Thread.currentThread();
        if (rings.get() == heard) {
            LockSupport.parkNanos(maxNs);
        }
        heard = rings.get();
        parked = null;
    }
}
