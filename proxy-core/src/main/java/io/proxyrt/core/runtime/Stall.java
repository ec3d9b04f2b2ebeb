/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;

/**
 * Tells when no op has moved for a while in a runtime that has failed: what is left then waits for what failed, say for
 * a kernel that was dropped. One thread.
 */
final class Stall {
    static final long LONG_NS = 500_000_000;

    private final AsyncResult result;
    private final Counters counters;
    private long moved = -1;
    private long movedNs;

    Stall(AsyncResult result, Counters counters) {
        this.result = result;
        this.counters = counters;
    }

    boolean isLong(long nowNs) {
        // In this order it is never more than it was: both grow meanwhile.
        long passes = counters.get(Counter.PROGRESS_PASSES);
        long now = passes - counters.get(Counter.PROGRESS_IDLE_PASSES);
        if (now > moved || result.failure() == null) {
            moved = Math.max(moved, now);
            movedNs = nowNs;
        }
        return nowNs - movedNs > LONG_NS;
    }
}
