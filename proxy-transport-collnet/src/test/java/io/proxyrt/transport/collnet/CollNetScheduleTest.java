/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.RedOp;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Collectives of some heads, whose sends, receives, kernels and network go on in an order that a seed decides. */
class CollNetScheduleTest {
    private static final int SEEDS = 200;
    private static final CollFunction[] FUNCTIONS = {CollFunction.ALL_REDUCE, CollFunction.ALL_GATHER,
            CollFunction.REDUCE_SCATTER};

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0} of {3} bytes by {1} heads on {2} channels")
    @CsvSource({"ALL_REDUCE, 1, 1, 64", "ALL_REDUCE, 2, 1, 4096", "ALL_REDUCE, 2, 9, 10000", "ALL_REDUCE, 4, 17, 20004",
            "ALL_GATHER, 1, 3, 4096", "ALL_GATHER, 2, 8, 8", "ALL_GATHER, 3, 17, 20004", "ALL_GATHER, 4, 9, 9008",
            "REDUCE_SCATTER, 1, 3, 4096", "REDUCE_SCATTER, 2, 8, 8", "REDUCE_SCATTER, 3, 17, 20004",
            "REDUCE_SCATTER, 4, 9, 9008", "ALL_REDUCE, 2, 3, 0"})
    void shouldCarryOutACollective(CollFunction function, int heads, int channels, long bytes) {
        SimulatedCollNet net = new SimulatedCollNet(1);
        try (TestHeads all = TestHeads.connected(folder, net, heads, channels)) {
            TestCollective collective = TestCollective.of(function, channels, 64, bytes, heads, 7);
            CollNetSimulation simulation = new CollNetSimulation(all.all, 2);
            simulation.add(collective);
            simulation.run();
            assertEquals(collective.calls(), net.calls, "one call for each step of a group that has data");
        }
    }

    /** Sizes, channels and steps change from op to op, and so does where each channel's steps begin. */
    @Test
    void shouldCarryOutCollectivesOneBehindAnotherInAnyOrderOfSteps() {
        for (int seed = 0; seed < SEEDS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            SimulatedCollNet net = new SimulatedCollNet(seed);
            net.room = random.nextBoolean() ? 8 : 32;
            net.patience = random.nextInt(1, 90);
            int heads = random.nextInt(1, 5);
            int channels = random.nextInt(1, 18);
            try (TestHeads all = TestHeads.connected(folder, net, heads, channels)) {
                CollNetSimulation simulation = new CollNetSimulation(all.all, seed);
                int calls = 0;
                for (int i = random.nextInt(1, 6); i > 0; i--) {
                    TestCollective collective = draw(random, heads, channels);
                    calls += collective.calls();
                    simulation.add(collective);
                }
                simulation.run();
                assertEquals(calls, net.calls, "seed " + seed);
                assertEquals(0, net.flushes, "slots are memory of the host");
            }
        }
    }

    private static TestCollective draw(SplittableRandom random, int heads, int channels) {
        CollFunction function = FUNCTIONS[random.nextInt(FUNCTIONS.length)];
        int[] used = IntStream.range(0, channels).filter(any -> random.nextInt(4) > 0).toArray();
        used = used.length == 0 ? new int[] {random.nextInt(channels)} : used;
        long chunk = random.nextInt(8) == 0 ? 4096 : 16 * random.nextLong(1, 9);
        long whole = chunk * used.length;
        long all = random.nextInt(8) == 0 ? 4 : random.nextLong(1, 12 * whole + 1);
        long unit = Integer.BYTES * (function == CollFunction.ALL_REDUCE ? 1 : heads);
        all = Math.max(1, all / unit) * unit;
        // Now and then more steps than there are data for.
        long steps = (all + whole - 1) / whole + (random.nextInt(4) == 0 ? random.nextInt(3) : 0);
        return new TestCollective(function, random.nextBoolean() ? RedOp.SUM : RedOp.MAX, used, (int) steps, chunk,
                all, heads, random.nextLong());
    }
}
