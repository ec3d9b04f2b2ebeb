/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;

/**
 * What a thread does while its agent finds no work: spin, then yield, then park, each time longer. One thread at a
 * time; allocates nothing.
 */
public final class BackoffIdle implements IdleStrategy {
    private static final long MIN_PARK_NS = 50_000;
    /** Long enough to cost nothing, short enough for the heartbeat in the counters file. */
    private static final long WOKEN_PARK_NS = 500_000_000;

    private final int spins;
    private final int yields;
    private final long maxParkNs;
    private int turns;
    private long parkNs = MIN_PARK_NS;

    /**
     * A strategy with its own count.
     *
     * @param config thresholds
     */
    public BackoffIdle(ProxyConfig config) {
        this(config, config.get(CoreOptions.IDLE_SPINS), config.get(CoreOptions.IDLE_YIELDS));
    }

    /**
     * A strategy for a caller that knows better than the configuration how many threads want the cores.
     *
     * @param config other thresholds
     * @param spins  idle passes before it yields
     * @param yields yields before it parks
     */
    public BackoffIdle(ProxyConfig config, int spins, int yields) {
        this.spins = spins;
        this.yields = yields;
        this.maxParkNs = Math.max(MIN_PARK_NS, config.get(CoreOptions.IDLE_PARK).toNanos());
    }

    @Override
    public void idle(int workCount, Agent agent) {
        if (workCount > 0) {
            reset();
        } else if (turns < spins) {
            turns++;
            Thread.onSpinWait();
        } else if (turns < spins + yields) {
            turns++;
            Thread.yield();
        } else {
            agent.park(agent.isWoken() ? WOKEN_PARK_NS : parkNs);
            parkNs = Math.min(maxParkNs, parkNs * 2);
        }
    }

    @Override
    public void reset() {
        turns = 0;
        parkNs = MIN_PARK_NS;
    }
}
