/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.counters.Counters;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Simulated GPUs, proxies and networks under schedules that seeds decide: the invariants hold after every pass, and
 * every byte arrives. {@code -Dschedules=N} runs that many; {@code -Dschedules.seed=S} replays one.
 */
class NetScheduleTest {
    private static final int SCHEDULES = Integer.getInteger("schedules", 200);

    @TempDir
    Path folder;

    @Test
    void shouldKeepEveryInvariantAndByteWhateverTheSchedule() {
        Long replayed = Long.getLong("schedules.seed");
        long first = replayed == null ? 0 : replayed;
        int count = replayed == null ? SCHEDULES : 1;
        long passes = 0;
        long began = System.nanoTime();
        try (Counters counters = Counters.create(folder.resolve("counters"), "test", 0, 2)) {
            for (long seed = first; seed < first + count; seed++) {
                passes += simulate(seed, counters);
            }
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        System.out.printf("%d schedules, %d passes, %.0f schedules/s, %.0f passes/s%n", count, passes,
                count / seconds, passes / seconds);
        assertTrue(passes > 100L * count, passes + " passes");
    }

    private static long simulate(long seed, Counters counters) {
        Random random = new Random(seed);
        NetScenario scenario = NetScenario.draw(random);
        try (NetSimulation simulation = new NetSimulation(scenario, random, counters)) {
            return simulation.run();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("schedule " + seed + " of " + scenario + "; replay it with -Dschedules.seed="
                    + seed, e);
        }
    }
}
