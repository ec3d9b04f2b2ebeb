/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.aggregation;

import java.util.concurrent.atomic.AtomicLongArray;

/** The counters of one thread, which alone adds to them. Any thread reads. */
final class Tally {
    private final AtomicLongArray values = new AtomicLongArray(SwitchCounter.values().length);

    void add(SwitchCounter counter, long amount) {
        values.setRelease(counter.ordinal(), values.getPlain(counter.ordinal()) + amount);
    }

    long get(SwitchCounter counter) {
        return values.getAcquire(counter.ordinal());
    }
}
