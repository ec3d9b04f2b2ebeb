/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.ProxyConfig;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class ThreadRanksBenchTest {
    @Test
    void shouldLeaveNoThreadIfRanksCannotJoin() throws InterruptedException {
        ProxyConfig config = RigArguments.config(Map.of("coll.transport", "PIGEON")).build();
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        ExecutionException failure = assertThrows(ExecutionException.class, () -> new ThreadRanks(2, config).close());
        assertTrue(failure.getMessage().contains("PIGEON"), failure.getMessage());
        Set<Thread> left = new HashSet<>(Thread.getAllStackTraces().keySet());
        left.removeAll(before);
        for (Thread thread : left) {
            if (!thread.isDaemon() || thread.getName().startsWith("proxy")) {
                thread.join(Rank.PATIENCE);
                assertFalse(thread.isAlive(), thread::getName);
            }
        }
    }

    @Test
    void shouldHaveEachRankTakeAStep() throws Exception {
        ProxyConfig config = RigArguments.config(Map.of("coll.transport", "SHM")).build();
        try (ThreadRanks ranks = new ThreadRanks(3, config)) {
            assertEquals(List.of(0, 1, 2), ranks.run(rank -> ranks.communicator(rank).rank()));
        }
    }
}
