/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.nio.file.Path;

/** Ranks on the two GPUs of a stand-in for CUDA. */
final class GpuRanks {
    private static final int THREADS = 4;
    private static final int GPUS = 2;

    private GpuRanks() {
    }

    static ProxyConfig.Builder config(Path directory, ThreadingMode mode, String transport, int rank) {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        return InProcessRanks.config(directory, mode, transport)
                .set("proxyrt." + gpu.option(), gpu.folder().toString())
                .set(CoreOptions.DEVICE, "cuda:" + rank % GPUS)
                .set(CollectivesOptions.GPU_THREADS, THREADS).set(CollectivesOptions.CHANNELS, 2);
    }
}
