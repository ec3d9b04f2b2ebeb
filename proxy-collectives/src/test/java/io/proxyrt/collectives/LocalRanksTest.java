/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.runtime.HostLoad;
import io.proxyrt.core.runtime.ThreadingChoice;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalRanksTest {
    @TempDir
    Path directory;

    @Test
    void shouldCountTheRanksOfAHostAndMostOfTheOthersSeenThere() {
        byte[][] all = {told(7, 1), told(8, 5), told(7, 3), told(7, 0)};
        assertEquals(new HostLoad(16, 3, 3), LocalRanks.load(all, 0, 16));
        assertEquals(new HostLoad(4, 1, 5), LocalRanks.load(all, 1, 4));
        assertEquals(new HostLoad(16, 3, 3), LocalRanks.load(all, 3, 16));
    }

    /** Not those of the job itself, though some ranks' runtimes are there before the others'. */
    @Test
    void shouldSettleAutoAlikeAtAllRanks() throws Exception {
        Set<ThreadingChoice> choices = ConcurrentHashMap.newKeySet();
        InProcessRanks.run(4, InProcessRanks.config(directory, ThreadingMode.AUTO).build(), comm -> {
            choices.add(comm.proxy().threading());
            assertEquals(comm.proxy().threading().mode(), comm.proxy().config().get(CoreOptions.THREADING));
        });
        int cpus = Runtime.getRuntime().availableProcessors();
        assertEquals(Set.of(ThreadingChoice.of(ThreadingMode.AUTO, false, new HostLoad(cpus, 4, 0))), choices);
    }

    private static byte[] told(long host, int others) {
        return ByteBuffer.allocate(12).putLong(host).putInt(others).array();
    }
}
