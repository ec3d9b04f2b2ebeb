/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.runtime.TransportVerdict;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The P2P transport between two GPUs of a stand-in, whose memory the test's kernels read and write in their stead. */
class P2pGpuConformanceTest {
    /** By ways that lead to a GPU within the process. */
    private abstract static class P2pGpuConformance extends P2pConformance {
        @BeforeAll
        static void requireStandIn() {
            Assumptions.assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        }

        @Override
        protected Device device(int rank) {
            StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
            return Devices.open("cuda:" + rank, rank, ProxyConfig.builder().environment(Map.of())
                    .set(gpu.option(), gpu.folder().toString()).build());
        }

        @Override
        protected long largest() {
            return 5_000_001;
        }
    }

    @Nested
    class AsItIs extends P2pGpuConformance {
        @Override
        Map<String, String> ways() {
            return Map.of();
        }
    }

    @Nested
    class ByDescriptor extends P2pGpuConformance {
        @Override
        Map<String, String> ways() {
            return Map.of("p2p.way", "vmm", "p2p.read.enable", "1");
        }
    }

    @Nested
    class ByCopyEngine extends P2pGpuConformance {
        @Override
        Map<String, String> ways() {
            return Map.of("p2p.use.memcpy", "1", "p2p.memcpy.buffer.bytes", "1M");
        }
    }

    @Nested
    class ByCopyEngineAndDescriptor extends P2pGpuConformance {
        @Override
        Map<String, String> ways() {
            return Map.of("p2p.way", "vmm", "p2p.use.memcpy", "1", "p2p.memcpy.buffer.bytes", "256K");
        }
    }

    @Test
    void shouldLeaveCopiesWithinAGpuToShm(@TempDir Path directory) {
        Assumptions.assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        Map<String, String> options = Map.of("device", "cuda:0", "p2p.use.memcpy", "1", gpu.option(),
                gpu.folder().toString());
        try (TransportPair pair = new TransportPair("SHM", directory, options)) {
            List<TransportVerdict> verdicts = pair.ranks.getFirst().explain(pair.ranks.getLast().peerInfo(), null);
            assertTrue(verdicts.getFirst().whyNot().contains("uses the same GPU"), verdicts::toString);
            assertTrue(verdicts.get(1).isChosen() && verdicts.get(1).name().equals("SHM"), verdicts::toString);
        }
    }
}
