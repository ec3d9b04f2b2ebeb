/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.transport;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.Extent;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** Transports by way of the host serve GPUs: here those of a driver's stand-in, with a GPU for each rank. */
@Tag(Extent.ONLY_FULL)
class StandInTransportsTest {
    @BeforeAll
    static void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
    }

    /** On GPUs. */
    private abstract static class GpuConformance extends TransportConformance {
        private final StandInGpu gpu;
        private final int transportId;

        GpuConformance(GpuAbi abi, int transportId) {
            this.gpu = StandInGpu.of(abi);
            this.transportId = transportId;
        }

        @Override
        protected final Device device(int rank) {
            return Devices.open(gpu.abi().kind() + ":" + rank, rank,
                    ProxyConfig.builder().set(gpu.option(), gpu.folder().toString()).build());
        }

        @Override
        protected final String transport() {
            return transportId == 1 ? "SHM" : "NET";
        }

        @Override
        protected final int transportId() {
            return transportId;
        }

        @Override
        protected final long largest() {
            return 5_000_001;
        }
    }

    @Nested
    class CudaBySegmentsWithoutNames extends GpuConformance {
        CudaBySegmentsWithoutNames() {
            super(GpuAbi.CUDA, 1);
        }

        @Override
        protected Map<String, String> options() {
            return Map.of();
        }
    }

    @Nested
    class HipBySegmentsThatAreFiles extends GpuConformance {
        HipBySegmentsThatAreFiles() {
            super(GpuAbi.HIP6, 1);
        }

        @Override
        protected Map<String, String> options() {
            return Map.of("shm.segment", "file", "shm.locality", "1");
        }
    }

    @Nested
    class CudaByCopyEngines extends GpuConformance {
        CudaByCopyEngines() {
            super(GpuAbi.CUDA, 1);
        }

        @Override
        protected Map<String, String> options() {
            return Map.of("shm.use.memcpy", "1", "shm.memcpy.mode", "3");
        }
    }

    @Nested
    class CudaBySockets extends GpuConformance {
        CudaBySockets() {
            super(GpuAbi.CUDA, 2);
        }

        @Override
        protected Map<String, String> options() {
            return Map.of("net.socket.ifname", "lo");
        }
    }
}
