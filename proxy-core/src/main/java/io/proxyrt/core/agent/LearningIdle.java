/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import java.util.function.LongSupplier;

/**
 * For work that comes in bursts at more or less regular times, as the steps of a training job do. It spins a short
 * while at first, twice as long as the gaps within a burst; then it sleeps until shortly before the shortest of the
 * last gaps would end, and spins again. So the next burst finds it awake, at a fraction of a core. When nothing comes
 * it goes on as another strategy does. A sleep ends with a post in any case: a gap that is shorter than those before
 * costs one wake-up. An agent that polls something which wakes nobody does not sleep.
 */
public final class LearningIdle implements IdleStrategy {
    private static final int GAPS = 8;
    /** Gaps below are within a burst, and spun through. */
    private static final long BURST_NS = 20_000;
    private static final long MIN_BURST_SPIN_NS = 2_000;
    /** How much too late a timed sleep ends is learned; at first it is this. */
    private static final long FIRST_OVERSLEEP_NS = 60_000;
    private static final long MAX_OVERSLEEP_NS = 100_000;
    /** One sleep in a hundred ends that much later than most, as a CPU that has nothing to do is another guest's. */
    private static final long MARGIN_NS = 40_000;
    /** A sleep below is not worth its wake-up. */
    private static final long MIN_SLEEP_NS = 20_000;
    /** The heartbeat in the counters file goes on. */
    private static final long MAX_SLEEP_NS = 500_000_000;
    /** Beyond, a quarter of the gap is too long to spin. */
    private static final long MAX_SPIN_GAP_NS = 10_000_000;

    private final IdleStrategy fallback;
    private final LongSupplier clock;
    private final long[] gaps = new long[GAPS];
    private int nGaps;
    private long expectedNs;
    /** The longest gap within a burst, forgotten little by little. */
    private long innerNs = BURST_NS;
    private long oversleepNs = FIRST_OVERSLEEP_NS;
    private boolean isIdle;
    private boolean hasSlept;
    private long idleSince;

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
                learn(clock.getAsLong() - idleSince);
                reset();
            }
        } else if (isIdle) {
            await(clock.getAsLong() - idleSince, agent);
        } else {
            isIdle = true;
            idleSince = clock.getAsLong();
        }
    }

    @Override
    public void reset() {
        isIdle = false;
        hasSlept = false;
        fallback.reset();
    }

    private void await(long idleNs, Agent agent) {
        long sleepNs = expectedNs - oversleepNs - MARGIN_NS - idleNs;
        boolean isExpected = idleNs < expectedNs + expectedNs / 4;
        if (!hasSlept && sleepNs >= MIN_SLEEP_NS && idleNs >= burstSpinNs() && agent.isWoken()) {
            sleep(Math.min(sleepNs, MAX_SLEEP_NS), agent);
        } else if (idleNs < BURST_NS || isExpected && expectedNs < MAX_SPIN_GAP_NS) {
            Thread.onSpinWait();
        } else {
            fallback.idle(0, agent);
        }
    }

    private long burstSpinNs() {
        return Math.min(BURST_NS, MIN_BURST_SPIN_NS + 2 * innerNs);
    }

    private void sleep(long ns, Agent agent) {
        long start = clock.getAsLong();
        agent.park(ns);
        hasSlept = true;
        long overNs = clock.getAsLong() - start - ns;
        if (overNs < 0) {
            // Something came and woke it, so it came about that much before now.
            idleSince += oversleepNs;
        } else {
            // Up fast, down slowly: waking too late costs more than waking too early. But what stopped this thread for
            // milliseconds was no timer.
            long late = Math.min(overNs, MAX_OVERSLEEP_NS);
            oversleepNs += late > oversleepNs ? (late - oversleepNs) / 2 : (late - oversleepNs) / 8;
        }
    }

    private void learn(long gapNs) {
        if (gapNs < BURST_NS) {
            innerNs = Math.max(innerNs, gapNs);
            return;
        }
        innerNs -= innerNs / 16;
        if (!hasSlept) {
            // Forget it little by little, or one long oversleep would forbid all sleep for good.
            oversleepNs -= oversleepNs / 64;
        }
        gaps[nGaps++ & GAPS - 1] = gapNs;
        long shortest = gaps[0];
        for (int i = 1; i < GAPS; i++) {
            shortest = Math.min(shortest, gaps[i]);
        }
        expectedNs = shortest;
    }
}
