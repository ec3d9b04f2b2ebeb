/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.util.function.LongSupplier;

/**
 * For a thread whose every look is a system call: it goes on looking for a while after work, yields between looks, then
 * sleeps. It counts time and not looks, for a yield that comes back late has let another thread run. A thread that
 * sleeps by then is woken on a CPU that is free; a runnable one waits for its turn on a busy CPU.
 */
final class LingerIdle implements IdleStrategy {
    private final long lingerNs;
    private final LongSupplier clock;
    private final BackoffIdle sleep;
    private boolean isFresh;
    private long endNs;

    LingerIdle(ProxyConfig config, LongSupplier clock) {
        this.lingerNs = config.get(CoreOptions.CONTROL_LINGER).toNanos();
        this.clock = clock;
        this.sleep = new BackoffIdle(config, 0, 0);
        this.endNs = clock.getAsLong();
    }

    @Override
    public void idle(int workCount, Agent agent) {
        if (workCount > 0) {
            reset();
            Thread.yield();
        } else if (isLingering()) {
            Thread.yield();
        } else {
            sleep.idle(0, agent);
        }
    }

    private boolean isLingering() {
        long nowNs = clock.getAsLong();
        if (isFresh) {
            isFresh = false;
            endNs = nowNs + lingerNs;
        }
        return nowNs - endNs < 0;
    }

    @Override
    public void reset() {
        isFresh = true;
        sleep.reset();
    }
}
