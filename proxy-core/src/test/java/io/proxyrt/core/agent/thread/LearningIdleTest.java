/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LearningIdleTest {
    private static final long PASS_NS = 50;
    private static final long OVERSLEEP_NS = 23_000;
    private static final long BEAT_NS = 200_000;

    private long nowNs;
    private long sleptNs;
    private long nextWorkNs;
    private long oversleepNs = OVERSLEEP_NS;
    private int fallbacks;
    private boolean isWoken = true;
    private final IdleStrategy fallback = new IdleStrategy() {
        @Override
        public void idle(int workCount, Agent agent) {
            fallbacks++;
        }

        @Override
        public void reset() {
            // counts on
        }
    };
    private final LearningIdle idle = new LearningIdle(fallback, () -> nowNs);
    private final Agent agent = new Agent() {
        @Override
        public String name() {
            return "sleeper";
        }

        @Override
        public int doWork() {
            nowNs += PASS_NS;
            return nowNs >= nextWorkNs ? 1 : 0;
        }

        @Override
        public boolean isWoken() {
            return isWoken;
        }

        @Override
        public void park(long maxNs) {
            long end = Math.min(nowNs + maxNs, Math.max(nextWorkNs, nowNs)) + oversleepNs;
            sleptNs += end - nowNs;
            nowNs = end;
        }
    };

    /** Work comes after a gap. Returns how late it was found. */
    private long gap(long gapNs) {
        nextWorkNs = nowNs + gapNs;
        return findWork();
    }

    /** Work comes at the next beat, whenever that before was found. Returns how late it was found. */
    private long beat() {
        nextWorkNs += Math.max(1, Math.ceilDiv(nowNs - nextWorkNs, BEAT_NS)) * BEAT_NS;
        return findWork();
    }

    private long findWork() {
        sleptNs = 0;
        fallbacks = 0;
        int work = 0;
        while (work == 0) {
            work = agent.doWork();
            idle.idle(work, agent);
        }
        return nowNs - nextWorkNs;
    }

    @Test
    void shouldSleepThroughMostOfARegularGapAndBeAwakeAtItsEnd() {
        for (int i = 0; i < 12; i++) {
            gap(200_000);
        }
        long latest = 0;
        for (int i = 0; i < 1000; i++) {
            latest = Math.max(latest, gap(200_000 + i % 7 * 1_000));
            assertTrue(sleptNs > 100_000, "slept only " + sleptNs + " ns");
        }
        assertTrue(latest <= 2 * PASS_NS, "found work " + latest + " ns late");
    }

    @Test
    void shouldNotSleepBeforeItKnowsTheGaps() {
        for (int i = 0; i < 8; i++) {
            gap(200_000);
            assertEquals(0, sleptNs);
            assertTrue(fallbacks > 0);
        }
    }

    @Test
    void shouldSpinThroughABurst() {
        for (int i = 0; i < 100; i++) {
            gap(i % 10 == 0 ? 300_000 : 2_000);
            assertTrue(i % 10 == 0 || sleptNs == 0 && fallbacks == 0);
        }
        gap(300_000);
        assertTrue(sleptNs > 100_000);
    }

    @Test
    void shouldSleepTheSoonerTheDenserBurstsAre() {
        assertTrue(sleepAfterBursts(100) > sleepAfterBursts(8_000) + 10_000);
    }

    private long sleepAfterBursts(long innerNs) {
        for (int i = 0; i < 100; i++) {
            gap(i % 2 == 0 ? 300_000 : innerNs);
        }
        gap(300_000);
        return sleptNs;
    }

    @Test
    void shouldAdaptToShorterGapsAfterOneWakeUp() {
        for (int i = 0; i < 20; i++) {
            gap(1_000_000);
        }
        assertTrue(gap(200_000) >= OVERSLEEP_NS);
        assertTrue(gap(200_000) <= 2 * PASS_NS);
    }

    /** Of several beats that are missed the last may be so near to the next that it is not worth a sleep. */
    @ParameterizedTest
    @CsvSource({"150000, 50000, 0", "5030000, 4000000, 1"})
    void shouldBeOnTimeAfterASleepThatEndedTooLate(long oversleptNs, long leastLateNs, int unslept) {
        for (int i = 0; i < 20; i++) {
            beat();
        }
        oversleepNs = oversleptNs;
        assertTrue(beat() > leastLateNs);
        oversleepNs = OVERSLEEP_NS;

        for (int i = 0; i < 20; i++) {
            assertTrue(beat() <= 2 * PASS_NS);
            assertTrue(sleptNs > 0 || i < unslept);
        }
    }

    @Test
    void shouldSleepTheLongerTheSoonerItWakes() {
        assertTrue(sleepAfter(2_000) > sleepAfter(85_000) + 50_000);
    }

    private long sleepAfter(long lateNs) {
        oversleepNs = lateNs;
        for (int i = 0; i < 10_000; i++) {
            beat();
        }
        return sleptNs - lateNs;
    }

    @Test
    void shouldGoOnAsUsualWhenTheExpectedDoesNotCome() {
        for (int i = 0; i < 20; i++) {
            gap(200_000);
        }
        gap(2_000_000);
        assertTrue(fallbacks > 1000, "fell back " + fallbacks + " times");
    }

    @Test
    void shouldNotSleepWhileItsAgentPollsSomething() {
        isWoken = false;
        for (int i = 0; i < 20; i++) {
            gap(200_000);
            assertEquals(0, sleptNs);
        }
    }
}
