/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.agent.Agent;
import java.time.Duration;

/** An agent that parks for an hour where it counts on being woken: one lost wake-up, and a test hangs. */
record LongPark(Agent agent) implements Agent {
    private static final long HOUR_NS = Duration.ofHours(1).toNanos();

    @Override
    public String name() {
        return "long-park";
    }

    @Override
    public int doWork() {
        return agent.doWork();
    }

    @Override
    public boolean isWoken() {
        return agent.isWoken();
    }

    @Override
    public void park(long maxNs) {
        agent.park(HOUR_NS);
    }

    @Override
    public void wakeup(Thread runner) {
        agent.wakeup(runner);
    }
}
