/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** In processes that have native access, as rigs have, and this one has not. */
class GpuRigsBenchTest {
    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

    @BeforeEach
    void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
    }

    @Test
    void shouldTakeTheTimeOfEveryAnswerToAKernel() throws IOException {
        assertEquals(49, figure("rtt_count", "rounds=50", "pause=0"));
    }

    /** Of the nanoseconds between two answers, of which the pause is a part. */
    @Test
    void shouldLetTheKernelPauseBeforeItLooks() throws IOException {
        double p50 = figure("rtt_p50", "rounds=50", "pause=2000000");
        assertTrue(p50 > 1_000_000 && p50 < 100_000_000, () -> p50 + " ns");
    }

    private static double figure(String metric, String... words) throws IOException {
        try (PeerJvm rig = rig("gpupingpong", words)) {
            return Stream.generate(() -> result(rig)).filter(line -> line.startsWith("R " + metric + ' '))
                    .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ')))).findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @CsvSource({"one-way, SHM, 1", "both-ways, P2P, 2"})
    void shouldMeasureEverySizeOfTwoRanks(String call, String transport, int gpus) throws IOException {
        try (PeerJvm rig = rig("gpucomm", "call=" + call, "gpus=" + gpus, "coll.transport=" + transport,
                "sizes=1024,4096", "warmup=1", "calls=4")) {
            List<String> metrics = Stream.generate(() -> result(rig)).limit(4)
                    .map(line -> line.substring(0, line.lastIndexOf(' '))).toList();
            assertEquals(List.of("R 1024 us", "R 1024 gbs", "R 4096 us", "R 4096 gbs"), metrics);
        }
    }

    private static String result(PeerJvm rig) {
        return rig.line().replace('\t', ' ');
    }

    private static PeerJvm rig(String name, String... words) throws IOException {
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        List<String> all = new ArrayList<>(List.of(name, "device=cuda", gpu.option() + '=' + gpu.folder(),
                "coll.channels=1", "coll.gpu.threads=4"));
        all.addAll(List.of(words));
        return new PeerJvm(RigMain.class, List.of(NATIVE), all);
    }
}
