/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as its users run it, on a stand-in that the environment names: to its report, or why there is none. */
class GpuCommandBenchTest {
    private static final long PATIENCE_S = 100;

    @TempDir
    Path directory;

    @BeforeEach
    void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
    }

    @Test
    void shouldMeasureAndReportWithoutAGpu() throws Exception {
        Path nccl = Files.writeString(directory.resolve("nccl.csv"), "shm,oneway,1024,200,4.25,0.241,0\n");
        assertEquals(0, bench("2", "--only", "ping-pong|one-way.*shm", "--nccl", nccl.toString()), said());
        String page = Files.readString(directory.resolve("gpu.md"));
        assertTrue(page.contains("proxyrt stand-in for cuda, 2 of 2; CUDA runtime"), page);
        assertTrue(page.contains("## A proxy's turn") && page.contains("| GB/s | **proxyrt-shm** | nccl-shm |"), page);
        assertTrue(page.contains("![One way](gpu-one-way.svg)") && !page.contains("## All-reduce"), page);
        assertTrue(Files.exists(directory.resolve("gpu-one-way.svg")));
        assertTrue(Files.readString(directory.resolve("gpu.csv")).contains("1,one-way,\"65536\",proxyrt-shm,us,"));
    }

    /** Nothing is asked of it that takes two, or that NCCL would do there. */
    @Test
    void shouldMeasureASingleGpu() throws Exception {
        assertEquals(0, bench("1", "--only", "one-way"), said());
        String page = Files.readString(directory.resolve("gpu.md"));
        assertTrue(page.contains("1 of 1") && page.contains("what takes two GPUs is left out"), page);
        assertTrue(page.contains("| GB/s | **proxyrt-p2p** | **proxyrt-shm** | **proxyrt-net** |"), page);
        assertFalse(page.contains("missed") || page.contains("NCCL's by the same way"), page);
    }

    @Test
    void shouldSayWhyThereIsNothingToMeasure() throws Exception {
        assertEquals(1, bench("0"));
        assertTrue(said().startsWith("proxyrt bench gpu: there is no GPU to measure: CUDA runtime ")
                && said().contains(": no device") && said().lines().count() == 1, said());
    }

    @Test
    void shouldReadNcclsFiguresBeforeItMeasures() throws Exception {
        Path nccl = directory.resolve("nccl.csv");
        assertEquals(1, bench("2", "--nccl", nccl.toString()));
        assertEquals("proxyrt bench gpu: cannot read NCCL's figures in " + nccl + System.lineSeparator(), said());
        assertFalse(Files.exists(directory.resolve("gpu.md")));
    }

    private int bench(String gpus, String... words) throws IOException, InterruptedException {
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java")
                .toString(), "--enable-native-access=ALL-UNNAMED", "-Dbench.root=" + directory, "-cp",
                System.getProperty("java.class.path"), BenchCommand.class.getName(), "gpu", "--smoke", "--out",
                directory.toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(directory.resolve("said").toFile());
        builder.environment().put("PROXYRT_CUDA_LIBRARY_PATH", gpu.folder().toString());
        builder.environment().put(StandInGpu.DEVICES, gpus);
        builder.environment().putAll(Map.of("PROXYRT_COLL_CHANNELS", "1", "PROXYRT_COLL_GPU_THREADS", "4"));
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(PATIENCE_S, TimeUnit.SECONDS), said());
            return process.exitValue();
        } finally {
            process.destroyForcibly();
        }
    }

    private String said() throws IOException {
        return Files.readString(directory.resolve("said"));
    }
}
