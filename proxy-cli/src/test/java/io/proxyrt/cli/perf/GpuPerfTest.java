/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.cli.perf.PerfPlan.Average;
import io.proxyrt.cli.perf.PerfPlan.Loops;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.collectives.ReductionList;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.gpu.GpuAbi;
import io.proxyrt.testkit.gpu.StandInGpu;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Ranks on GPUs, whose memory the CPU only reaches by copies, are measured and checked as those of the host are. */
class GpuPerfTest {
    private static final int RANKS = 2;
    private static final long MAX_BYTES = 4096;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    @TempDir
    private Path folder;

    @BeforeEach
    void needCompiler() {
        assumeTrue(StandInGpu.whyNot().isEmpty(), StandInGpu::whyNot);
    }

    @ParameterizedTest
    @CsvSource({"ALL_REDUCE, P2P", "SENDRECV, P2P", "ALL_REDUCE, SHM", "BROADCAST, NET"})
    void shouldFindNothingWrong(Collective collective, String transport) {
        assertEquals(RankOutcome.OK, run(PerfSession.of(plan(collective), RANKS, configs(transport),
                PerfOutput.of(print(out)), print(err))), this::text);
        assertTrue(text().contains("device cuda:0, " + transport), this::text);
        assertTrue(text().contains("device cuda:1, " + transport), this::text);
        assertTrue(text().contains("# Out of bounds values : 0 OK"), this::text);
        assertEquals(2, text().lines().filter(line -> line.matches(" *(8|4096) .* +0 +\\S+ +\\S+ +\\S+ +(0|N/A)"))
                .count(), this::text);
    }

    @ParameterizedTest
    @CsvSource({"ALL_REDUCE, SHM", "HYPERCUBE, SHM", "ALLTOALLV, NET"})
    void shouldMeasureLaunchesOfGraphs(Collective collective, String transport) {
        PerfPlan plain = plan(collective);
        PerfPlan plan = new PerfPlan(collective, plain.sizes(), new Loops(2, 0, 1, 1, 3), plain.types(), plain.ops(),
                plain.roots(), plain.average(), plain.jitWarmup());
        RankConfigs configs = new RankConfigs(config(transport, ThreadingMode.DEDICATED), "cuda", RANKS, 0);
        assertEquals(RankOutcome.OK, run(PerfSession.of(plan, RANKS, configs, PerfOutput.of(print(out)), print(err))),
                this::text);
        assertTrue(text().contains("graph: 3"), this::text);
        assertTrue(text().contains("# Out of bounds values : 0 OK"), this::text);
    }

    /** A round of operations that reduce nothing, for each reduction takes the compiler a second. */
    @Test
    void shouldSoakOnGpus() {
        long seed = LongStream.range(0, 1000).filter(GpuPerfTest::isSoonCompiled).findFirst().orElseThrow();
        SoakPlan plan = new SoakPlan(seed, 0, 1, Duration.ofMinutes(1), Duration.ofSeconds(5), MAX_BYTES);
        assertEquals(RankOutcome.OK,
                run(SoakSession.of(plan, configs("P2P"), print(out), Optional.empty(), print(err))), this::text);
        assertTrue(text().contains("# Nothing wrong after 1 rounds"), this::text);
    }

    @Test
    void shouldDealTheDevicesOfAHostToItsRanks() {
        RankConfigs configs = new RankConfigs(config("P2P"), "cuda", 2, 4);
        assertEquals("cuda:0", configs.of(4).get(CoreOptions.DEVICE));
        assertEquals("cuda:1", configs.of(5).get(CoreOptions.DEVICE));
        assertEquals("cuda:0", configs.of(6).get(CoreOptions.DEVICE));
        assertEquals("host", RankConfigs.same(config("P2P")).of(5).get(CoreOptions.DEVICE));
    }

    private static boolean isSoonCompiled(long seed) {
        List<SoakOp> ops = SoakRound.of(seed, 0, RANKS, MAX_BYTES).ops();
        return ops.size() > 1 && ops.stream().noneMatch(op -> op.collective().isReducing());
    }

    private static PerfPlan plan(Collective collective) {
        return new PerfPlan(collective, new Sizes(8, 4096, 512, 0), new Loops(1, 0, 1, 1, 0), List.of(DataType.FLOAT32),
                List.of(PerfOp.SUM), List.of(1), Average.AVERAGE, Duration.ZERO);
    }

    private RankConfigs configs(String transport) {
        return new RankConfigs(config(transport), "cuda", RANKS, 0);
    }

    private ProxyConfig config(String transport) {
        return config(transport, ThreadingMode.INVOKER);
    }

    private ProxyConfig config(String transport, ThreadingMode mode) {
        StandInGpu gpu = StandInGpu.of(GpuAbi.CUDA);
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.THREADING, mode)
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString())
                .set(CollectivesOptions.TRANSPORT, transport).set(CollectivesOptions.CHANNELS, 1)
                .set(CollectivesOptions.GPU_COMPILE_AHEAD, ReductionList.parse("none"))
                .set(CollectivesOptions.GPU_THREADS, 4).set(gpu.option(), gpu.folder().toString()).build();
    }

    private static RankOutcome run(RankSession session) {
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RANKS)) {
            return RankOutcome.values()[RankThreads.run(0, RANKS,
                    rank -> session.run(root.id(), rank, RANKS, () -> { }).ordinal())];
        }
    }

    private static PrintStream print(ByteArrayOutputStream stream) {
        return new PrintStream(stream, true, StandardCharsets.UTF_8);
    }

    private String text() {
        return out.toString(StandardCharsets.UTF_8) + err.toString(StandardCharsets.UTF_8);
    }
}
