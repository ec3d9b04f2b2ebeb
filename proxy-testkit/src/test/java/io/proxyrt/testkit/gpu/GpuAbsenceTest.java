/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.testkit.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where there is no device, there is a reason. */
class GpuAbsenceTest {
    @ParameterizedTest
    @CsvSource({"CUDA, STAND_IN_GPU_DEVICES=0, 0, cudaErrorNoDevice (100)",
        "CUDA, STAND_IN_GPU_FAIL=cudaGetDeviceCount:1:35, 0, cudaErrorInsufficientDriver (35)",
        "HIP5, STAND_IN_GPU_DEVICES=0, 0, hipErrorNoDevice (100)", "HIP6, HIP_VISIBLE_DEVICES=1, 1, ''"})
    void shouldSayWhyThereIsNoDevice(GpuAbi abi, String variable, String count, String reason) throws IOException {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
        StandInGpu.of(abi);
        try (ChildJvm child = new ChildJvm(List.of("env", variable), DriverChild.class, abi.name())) {
            String[] said = child.line().split(" ", 2);
            assertEquals(count, said[0]);
            assertTrue(reason.isEmpty() ? said[1].isEmpty() : said[1].contains(reason), said[1]);
            assertTrue(reason.isEmpty() || said[1].startsWith(child.line() + ": no device"), said[1]);
        }
    }

    @Test
    void shouldSayWhatIsWrongWithALibrary(@TempDir Path folder) throws IOException {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu.whyNot());
        StandInGpu hip = StandInGpu.of(GpuAbi.HIP5);
        for (String name : List.of("libcuda.so.1", "libcudart.so.13")) {
            Files.copy(hip.folder().resolve(hip.abi().library()), folder.resolve(name));
        }
        ProxyConfig config = ProxyConfig.builder().set("cuda.library.path", folder.toString()).build();

        String message = assertThrows(ProxyException.class, () -> Devices.open("cuda:0", 0, config)).getMessage();

        assertTrue(message.contains("there is no device cuda:0") && message.contains(folder.toString())
                && message.contains("without") && message.contains("cudaMalloc"), message);
    }
}
