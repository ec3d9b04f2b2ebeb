/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LingerIdleTest {
    private static final long LINGER_NS = 100;

    private final Sleeper sleeper = new Sleeper();
    private long nowNs = -50;
    private final LingerIdle idle = new LingerIdle(ProxyConfig.builder().environment(Map.of())
            .set(CoreOptions.CONTROL_LINGER, Duration.ofNanos(LINGER_NS)).build(), () -> nowNs);

    @Test
    void shouldSleepAtOnceIfThereNeverWasWork() {
        idle.idle(0, sleeper);

        assertEquals(1, sleeper.sleeps);
    }

    @Test
    void shouldLookUntilTheTimeIsOver() {
        idle.idle(1, sleeper);
        for (int i = 0; i < 1_000; i++) {
            idle.idle(0, sleeper);
        }
        nowNs += LINGER_NS - 1;
        idle.idle(0, sleeper);
        assertEquals(0, sleeper.sleeps);

        nowNs++;
        idle.idle(0, sleeper);
        idle.idle(0, sleeper);
        assertEquals(2, sleeper.sleeps);
    }

    @Test
    void shouldLookAgainAfterMoreWork() {
        idle.idle(1, sleeper);
        idle.idle(0, sleeper);
        nowNs += 2 * LINGER_NS;
        idle.idle(1, sleeper);
        idle.idle(0, sleeper);

        assertEquals(0, sleeper.sleeps);
    }

    /** Counts. */
    private static final class Sleeper implements Agent {
        private int sleeps;

        @Override
        public String name() {
            return "sleeper";
        }

        @Override
        public int doWork() {
            return 0;
        }

        @Override
        public void park(long maxNs) {
            sleeps++;
        }
    }
}
