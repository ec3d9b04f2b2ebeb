/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.nio.file.Path;

/** Ranks on the two GPUs of a stand-in for CUDA, whose compiler takes CPUs from tests: it compiles nothing ahead. */
final class GpuRanks {
    private static final int THREADS = 4;
    private static final int GPUS = 2;

    /** Kind of a GPU that this host really has: {@code -Dtestkit.device=cuda}. */
    private static final String INSTALLED = System.getProperty("testkit.device", "");

    private GpuRanks() {
    }

    static ProxyConfig.Builder config(Path directory, ThreadingMode mode, String transport, int rank) {
        ProxyConfig.Builder config = InProcessRanks.config(directory, mode, transport);
        if (!INSTALLED.isEmpty()) {
            return installed(config, rank).set(CollectivesOptions.CHANNELS, 2);
        }
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        return config.set("proxyrt." + gpu.option(), gpu.folder().toString())
                .set(CoreOptions.DEVICE, "cuda:" + rank % GPUS)
                .set(CollectivesOptions.GPU_COMPILE_AHEAD, ReductionList.parse("none"))
                .set(CollectivesOptions.GPU_THREADS, THREADS).set(CollectivesOptions.CHANNELS, 2);
    }

    /** Ranks that share a GPU wait for each other's kernels whenever one of them allocates, which may be for ever. */
    static void assumeRoomFor(int nRanks) {
        if (!INSTALLED.isEmpty()) {
            assumeTrue(nRanks <= Math.max(2, installed()), () -> nRanks + " ranks on " + installed() + " GPUs");
        }
    }

    /** Whether the host really has a GPU of a kind. */
    static boolean isInstalled(String kind) {
        return INSTALLED.equals(kind) && installed() > 0;
    }

    private static int installed() {
        ProxyConfig environment = ProxyConfig.builder().build();
        return Devices.providers().stream().filter(provider -> provider.kind().equals(INSTALLED))
                .mapToInt(provider -> provider.count(environment)).sum();
    }

    private static ProxyConfig.Builder installed(ProxyConfig.Builder config, int rank) {
        ProxyConfig environment = ProxyConfig.builder().build();
        environment.settings().stream().filter(setting -> setting.option().key().endsWith(".library.path"))
                .forEach(setting -> config.set(setting.option().key(), setting.text()));
        return config.set(CoreOptions.DEVICE, INSTALLED + ":" + rank % Math.max(1, installed()));
    }
}
