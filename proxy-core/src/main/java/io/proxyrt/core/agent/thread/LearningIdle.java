/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import java.util.function.LongSupplier;

/**
 * For work that comes in bursts at more or less regular times, as the steps of a training job do. It spins a short
 * while at first, twice as long as the gaps within a burst; then it sleeps until shortly before the next burst is due,
 * and spins again. So that finds it awake, at a fraction of a core. When nothing comes it goes on as another strategy
 * does. A post ends a sleep in any case: a period that is shorter than those before costs one wake-up. An agent whose
 * work does not ring the doorbell, such as a socket that it polls, does not sleep.
 *
 * <pre>
 *   burst                                          due: a period, the shortest of the last eight, after it
 *   ──┬──────┬───────────────────┬────────────────────┬──────▶
 *     │ spin │ sleep             │ late, then spin    │ spin
 * </pre>
 *
 * <p>A burst that arrived while the thread slept or was preempted counts as arrived when it was due, if that time has
 * passed. So one late burst does not delay the next.
 */
public final class LearningIdle implements IdleStrategy {
    private static final int PERIODS = 8;
    /** Gaps below are within a burst, and spun through. */
    private static final long BURST_NS = 20_000;
    private static final long MIN_BURST_SPIN_NS = 2_000;
    /** A sleep below is not worth its wake-up. */
    private static final long MIN_SLEEP_NS = 20_000;
    /** The heartbeat in the counters file goes on. */
    private static final long MAX_SLEEP_NS = 500_000_000;
    /** Beyond, a quarter of the period is too long to spin. */
    private static final long MAX_SPIN_PERIOD_NS = 10_000_000;

    private final IdleStrategy fallback;
    private final LongSupplier clock;
    private final long[] periods = new long[PERIODS];
    private int nPeriods;
    /** 0 until some are known. */
    private long periodNs;
    private final Lateness lateness = new Lateness();
    /** The longest gap within a burst, forgotten little by little. */
    private long innerNs = BURST_NS;
    private boolean isIdle;
    private boolean hasSlept;
    private long idleSince;
    /** When nothing was there yet. */
    private long lookedAt;
    private long cameAt;
    private long dueAt;

    /**
     * A strategy that knows nothing yet.
     *
     * @param fallback for gaps longer than those before
     * @param clock    monotonic, in nanoseconds
     */
    public LearningIdle(IdleStrategy fallback, LongSupplier clock) {
        this.fallback = fallback;
        this.clock = clock;
    }

    @Override
    public void idle(int workCount, Agent agent) {
        if (workCount > 0) {
            if (isIdle) {
                arrive(clock.getAsLong());
                reset();
            }
        } else {
            lookedAt = clock.getAsLong();
            if (isIdle) {
                await(agent);
            } else {
                isIdle = true;
                idleSince = lookedAt;
                expect();
            }
        }
    }

    @Override
    public void reset() {
        isIdle = false;
        hasSlept = false;
        fallback.reset();
    }

    private void expect() {
        // Bursts that came meanwhile were part of this one.
        dueAt = periodNs == 0 ? lookedAt : cameAt + ((lookedAt - cameAt) / periodNs + 1) * periodNs;
    }

    private void await(Agent agent) {
        long idleNs = lookedAt - idleSince;
        long leftNs = dueAt - lookedAt;
        long sleepNs = leftNs - lateness.ns();
        boolean isDue = leftNs > -periodNs / 4 && periodNs < MAX_SPIN_PERIOD_NS;
        if (!hasSlept && sleepNs >= MIN_SLEEP_NS && idleNs >= burstSpinNs() && agent.isWoken()) {
            sleep(Math.min(sleepNs, MAX_SLEEP_NS), agent);
        } else if (idleNs < BURST_NS || isDue) {
            Thread.onSpinWait();
        } else {
            fallback.idle(0, agent);
        }
    }

    private long burstSpinNs() {
        return Math.min(BURST_NS, MIN_BURST_SPIN_NS + 2 * innerNs);
    }

    private void sleep(long ns, Agent agent) {
        agent.park(ns);
        hasSlept = true;
        long overNs = clock.getAsLong() - lookedAt - ns;
        if (overNs >= 0) {
            lateness.learn(overNs);
        }
    }

    private void arrive(long now) {
        long gapNs = now - idleSince;
        if (gapNs < BURST_NS) {
            innerNs = Math.max(innerNs, gapNs);
            return;
        }
        innerNs -= innerNs / 16;
        boolean isSeenLate = dueAt - lookedAt > 0 && dueAt - now < 0;
        long came = isSeenLate ? dueAt : now;
        // The first has none before it; with 0, which keeps the shortest unknown, if the clock is below.
        periods[nPeriods++ & PERIODS - 1] = Math.max(0, came - cameAt);
        cameAt = came;
        periodNs = periods[0];
        for (int i = 1; i < PERIODS; i++) {
            periodNs = Math.min(periodNs, periods[i]);
        }
    }

    /** How much too late timed sleeps end, all but one in a thousand: the host may lend an idle virtual CPU. */
    private static final class Lateness {
        /** Waking earlier takes more than it is worth. */
        private static final long MAX_NS = 90_000;
        private static final long FIRST_NS = 80_000;
        private static final long DOWN_NS = 10;
        private static final long UP_NS = 1_000 * DOWN_NS;

        private long ns = FIRST_NS;

        long ns() {
            return ns;
        }

        /** Where one in a thousand is later, ups and downs keep the balance. */
        void learn(long lateNs) {
            ns = lateNs > ns ? Math.min(MAX_NS, ns + UP_NS) : ns - DOWN_NS;
        }
    }
}
