/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import io.proxyrt.core.config.ProxyConfig;
import java.util.function.BooleanSupplier;

/**
 * Waits in one way while threads have CPUs enough, in another while they are oversubscribed, which may change between
 * two passes. One thread at a time; allocates nothing.
 */
public final class OversubscribedIdle implements IdleStrategy {
    private static final int YIELDS = 200;

    private final BooleanSupplier isOversubscribed;
    private final IdleStrategy usual;
    private final IdleStrategy giving;

    /**
     * A strategy that gives the CPU away at once while threads are oversubscribed: it yields, then parks.
     *
     * @param isOversubscribed asked in each idle pass
     * @param usual            while they are not
     * @param config           for how long it parks
     */
    public OversubscribedIdle(BooleanSupplier isOversubscribed, IdleStrategy usual, ProxyConfig config) {
        this(isOversubscribed, usual, new BackoffIdle(config, 0, YIELDS));
    }

    /**
     * A strategy for a caller that knows how to give the CPU away.
     *
     * @param isOversubscribed asked in each idle pass
     * @param usual            while they are not
     * @param giving           while they are
     */
    public OversubscribedIdle(BooleanSupplier isOversubscribed, IdleStrategy usual, IdleStrategy giving) {
        this.isOversubscribed = isOversubscribed;
        this.usual = usual;
        this.giving = giving;
    }

    @Override
    public void idle(int workCount, Agent agent) {
        if (workCount > 0) {
            usual.idle(workCount, agent);
            giving.reset();
        } else {
            (isOversubscribed.getAsBoolean() ? giving : usual).idle(0, agent);
        }
    }

    @Override
    public void reset() {
        usual.reset();
        giving.reset();
    }
}
