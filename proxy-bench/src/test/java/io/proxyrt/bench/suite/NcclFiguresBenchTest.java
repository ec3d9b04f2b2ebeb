/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bench.process.BenchException;
import io.proxyrt.bench.run.Sample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NcclFiguresBenchTest {
    @TempDir
    Path directory;

    @Test
    void shouldTakeTimeAndRateUnderOurNames() throws IOException {
        assertEquals(List.of(new Sample(1, GpuBench.ONE_WAY, "1024", "nccl-p2p", "us", 4.25),
                new Sample(1, GpuBench.ONE_WAY, "1024", "nccl-p2p", "gbs", 0.241),
                new Sample(1, GpuBench.BOTH_WAYS, "4096", "nccl-net4x4", "us", 31.5),
                new Sample(1, GpuBench.BOTH_WAYS, "4096", "nccl-net4x4", "gbs", 0.13)),
                NcclFigures.read(file("p2p,oneway,1024,200,4.25,0.241,0", "net4x4,sendrecv,4096,200,31.5,0.13,0")));
    }

    @Test
    void shouldLeaveOutCallsThatOursHaveNoneLike() throws IOException {
        assertEquals(List.of(), NcclFigures.read(file("p2p,all_gather,1024,200,4.25,0.241,0")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"p2p,oneway,1024,200,4.25,0.241,3", "p2p,oneway,1024,200,4.25,0.241", "",
        "p2p,oneway,1024,200,soon,0.241,0"})
    void shouldRefuseALineThatIsNoFigureOfRightData(String line) throws IOException {
        Path file = file("p2p,oneway,1024,200,4.25,0.241,0", line);
        String message = assertThrows(BenchException.class, () -> NcclFigures.read(file)).getMessage();
        assertTrue(message.contains(file.toString()) && message.endsWith(": " + line), message);
    }

    @Test
    void shouldSayWhichFileIsMissing() {
        Path file = directory.resolve("nccl.csv");
        String message = assertThrows(BenchException.class, () -> NcclFigures.read(file)).getMessage();
        assertTrue(message.contains(file.toString()), message);
    }

    private Path file(String... lines) throws IOException {
        return Files.write(directory.resolve("nccl.csv"), List.of(lines));
    }
}
