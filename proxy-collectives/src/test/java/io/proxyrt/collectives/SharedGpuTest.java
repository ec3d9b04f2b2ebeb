/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

class SharedGpuTest {
    private static final String GPU = "0000:c1:00.0";
    private static final long MPS = 1L << DeviceCapability.CONCURRENT_PROCESSES.ordinal();

    @Test
    void shouldNameMpsWhereProcessesTakeTurnsOnAGpu() {
        List<PeerInfo> ranks = List.of(rank(0, 1, 7, "0000:c2:00.0", 0), rank(1, 1, 8, GPU, 0), rank(2, 1, 8, GPU, 0),
                rank(3, 1, 9, GPU, 0), rank(4, 1, 10, GPU, 0));
        String warning = SharedGpu.warning(ranks, 1);
        assertTrue(warning.startsWith("rank 1: other processes use cuda:0 too, those of ranks 3 4;"), warning);
        assertTrue(warning.contains("nvidia-cuda-mps-control -d") && warning.contains("--in-process"), warning);
        for (int other : new int[] {0, 2, 3, 4}) {
            assertEquals("", SharedGpu.warning(ranks, other), "one rank of a GPU says it");
        }
    }

    @Test
    void shouldSayNothingWhereNobodyWaitsForATimeSlice() {
        assertEquals("", SharedGpu.warning(List.of(rank(0, 1, 7, GPU, 0), rank(1, 1, 7, GPU, 0)), 0), "a process");
        assertEquals("", SharedGpu.warning(List.of(rank(0, 1, 7, GPU, MPS), rank(1, 1, 8, GPU, MPS)), 0), "MPS");
        assertEquals("", SharedGpu.warning(List.of(rank(0, 1, 7, GPU, 0), rank(1, 2, 8, GPU, 0)), 0), "two hosts");
    }

    private static PeerInfo rank(int rank, long host, long process, String pciId, long capabilities) {
        return new PeerInfo(rank, new PeerProcess(host, process, process, PeerProcess.UNKNOWN, 0, 0), null, "",
                new PeerDevice("cuda", "cuda:0", pciId, capabilities));
    }
}
