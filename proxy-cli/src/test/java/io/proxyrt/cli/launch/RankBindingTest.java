/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.spi.Platform;
import java.util.BitSet;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RankBindingTest {
    private final Platform platform = Platform.find();
    private final BitSet cpus = platform.processCpus();

    @Test
    void shouldGiveRanksACpuEachInTurnWhereThereAreMoreRanks() throws Exception {
        int count = cpus.cardinality();
        for (int rank = 0; rank <= count; rank++) {
            BitSet expected = new BitSet();
            expected.set(cpus.stream().skip(rank % count).findFirst().orElseThrow());
            assertEquals(expected, cpusOf(rank, count + 1), "rank " + rank);
        }
    }

    @Test
    void shouldLeaveRanksAloneWhereThereAreCpusEnough() throws Exception {
        assertEquals(cpus, cpusOf(0, cpus.cardinality()));
    }

    /** On a thread of its own, for the binding stays. */
    private BitSet cpusOf(int rank, int ranks) throws Exception {
        FutureTask<BitSet> bound = new FutureTask<>(() -> {
            RankBinding.bind(rank, ranks);
            assertEquals(platform.threadCpus().cardinality() > 1, RankBinding.describe().isEmpty());
            return platform.threadCpus();
        });
        Thread.ofPlatform().start(bound);
        return bound.get(10, TimeUnit.SECONDS);
    }
}
