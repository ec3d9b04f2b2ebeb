/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.cli.perf.PerfPlan.Average;
import io.proxyrt.cli.perf.PerfPlan.Loops;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.collectives.CollectivesOptions;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InProcessTest {
    private static final List<DataType> ALL_TYPES = List.of(DataType.values());
    private static final List<PerfOp> ALL_OPS = List.of(PerfOp.values());

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"ALL_REDUCE,3,1", "ALL_REDUCE,4,2", "ALL_GATHER,3,1", "ALL_GATHER,2,3", "REDUCE_SCATTER,3,1",
        "REDUCE_SCATTER,4,2", "BROADCAST,3,2", "SENDRECV,3,1", "SENDRECV,2,1", "REDUCE,3,2", "ALLTOALL,3,1",
        "GATHER,3,1", "SCATTER,3,1", "HYPERCUBE,4,1", "ALL_GATHERV,3,2", "REDUCE_SCATTERV,4,1", "ALLTOALLV,4,1"})
    void shouldFindNothingWrongWithAnyTypeAndReduction(Collective collective, int nRanks, int channels) {
        PerfPlan plan = plan(collective, new Sizes(1, 5000, 9, 0), new Loops(2, 1, 2, 1, 0), ALL_TYPES, ALL_OPS);
        assertEquals(RankOutcome.OK, run(plan, nRanks, config(ThreadingMode.INVOKER, channels), null), this::err);
        assertRight(collective, plan, 4);
    }

    /** An all-gather of two ranks, for 32 to 64 bytes. */
    @Test
    void shouldSayWhichSizesGoByFiles() throws IOException {
        String step = "<step s=\"%d\" type=\"%s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"%d\" cnt=\"1\""
                + " depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>";
        StringBuilder text = new StringBuilder("<algo proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"2\""
                + " ngpus=\"2\" coll=\"allgather\" inplace=\"1\" outofplace=\"1\" minBytes=\"32\" maxBytes=\"64\">");
        for (int rank = 0; rank < 2; rank++) {
            int peer = 1 - rank;
            text.append("<gpu id=\"%d\" i_chunks=\"1\" o_chunks=\"2\" s_chunks=\"0\">".formatted(rank))
                    .append("<tb id=\"0\" send=\"%d\" recv=\"%d\" chan=\"0\">".formatted(peer, peer))
                    .append(step.formatted(0, "s", 0)).append(step.formatted(1, "r", peer))
                    .append(step.formatted(2, "cpy", rank)).append("</tb></gpu>");
        }
        Path file = Files.writeString(folder.resolve("gather.xml"), text.append("</algo>"));
        PerfPlan plan = plan(Collective.ALL_GATHER, new Sizes(8, 1024, 2, 0), new Loops(2, 1, 1, 1, 0),
                List.of(DataType.FLOAT32), List.of(PerfOp.SUM));
        assertEquals(RankOutcome.OK, run(plan, 2, config(ThreadingMode.INVOKER, 1, Map.of("coll.msccl.files",
                file.toString())), null), this::err);
        String table = out.toString(StandardCharsets.UTF_8);
        assertTrue(table.contains("# MSCCL files are for 2 of 8 sizes, from 32 to 64 bytes"), table);
    }

    @ParameterizedTest
    @CsvSource({"DEDICATED", "SHARED", "SHARED_CONTROL"})
    void shouldFindNothingWrongInAnyThreadingMode(ThreadingMode mode) {
        PerfPlan plan = plan(Collective.ALL_REDUCE, new Sizes(4096, 300_000, 8, 0), new Loops(3, 1, 1, 2, 0),
                List.of(DataType.FLOAT32), List.of(PerfOp.SUM));
        assertEquals(RankOutcome.OK, run(plan, 2, config(mode, 1), null), this::err);
        assertRight(Collective.ALL_REDUCE, plan, 3);
    }

    @ParameterizedTest
    @CsvSource({"ALL_REDUCE,4", "ALL_REDUCE,3", "SENDRECV,3"})
    void shouldFindNothingWrongWhereTransportsDiffer(Collective collective, int nRanks) {
        PerfPlan plan = plan(collective, new Sizes(64, 300_000, 70, 0), new Loops(3, 1, 1, 2, 0),
                List.of(DataType.FLOAT32), List.of(PerfOp.SUM));
        IntFunction<ProxyConfig> twoToAHost = rank -> config(ThreadingMode.INVOKER, 1,
                Map.of("host.id", "host " + rank / 2));
        assertEquals(RankOutcome.OK, run(nRanks, rank -> session(plan, nRanks, twoToAHost.apply(rank), null)),
                this::err);
        assertRight(collective, plan, 2);
        assertTrue(out.toString(StandardCharsets.UTF_8).contains(nRanks == 4 ? ", SHM to 1, NET to 2-3, "
                : ", SHM to 1, NET to 2, "), out::toString);
    }

    @Test
    void shouldMeasureASingleRank() {
        PerfPlan plan = plan(Collective.ALL_REDUCE, new Sizes(8, 8, 2, 0), new Loops(1, 0, 1, 1, 0),
                List.of(DataType.INT32), ALL_OPS);
        assertEquals(RankOutcome.OK, run(plan, 1, config(ThreadingMode.INVOKER, 1), null), this::err);
        assertRight(Collective.ALL_REDUCE, plan, 1);
    }

    @Test
    void shouldWarmUpTheCompilersForAsLongAsItIsTold() {
        PerfPlan without = plan(Collective.ALL_REDUCE, new Sizes(8, 8, 2, 0), new Loops(1, 0, 0, 1, 0),
                List.of(DataType.INT32), List.of(PerfOp.SUM));
        PerfPlan plan = new PerfPlan(without.collective(), without.sizes(), without.loops(), without.types(),
                without.ops(), without.roots(), Average.MAX, Duration.ofMillis(200));
        long start = System.nanoTime();
        assertEquals(RankOutcome.OK, run(plan, 2, config(ThreadingMode.INVOKER, 1), null), this::err);
        assertTrue(System.nanoTime() - start >= 200_000_000);
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("# JIT warm-up"));
    }

    @Test
    void shouldShowOnATerminalHowFarTheWarmUpIs() {
        PerfPlan without = plan(Collective.ALL_REDUCE, new Sizes(8, 8, 2, 0), new Loops(1, 0, 0, 1, 0),
                List.of(DataType.INT32), List.of(PerfOp.SUM));
        PerfPlan plan = new PerfPlan(without.collective(), without.sizes(), without.loops(), without.types(),
                without.ops(), without.roots(), Average.MAX, Duration.ofMillis(20));
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        PerfOutput output = new PerfOutput(null, new PrintStream(shown, true, StandardCharsets.UTF_8), Optional.empty(),
                Optional.empty());
        assertEquals(RankOutcome.OK, run(2, any -> PerfSession.of(plan, 2,
                RankConfigs.same(config(ThreadingMode.INVOKER, 1)), output, new PrintStream(err))), this::err);
        String text = shown.toString(StandardCharsets.UTF_8);
        assertTrue(text.matches("(?s)\\r\u001b\\[K# JIT warm-up: 0\\.\\d of \\d\\.\\d s .*\\r\u001b\\[K"), text);
    }

    @Test
    void shouldWriteTheResultsAsJson() throws Exception {
        Path json = folder.resolve("results.json");
        PerfPlan plan = plan(Collective.SENDRECV, new Sizes(64, 256, 4, 0), new Loops(1, 0, 1, 1, 0),
                List.of(DataType.FLOAT16), ALL_OPS);
        assertEquals(RankOutcome.OK, run(plan, 2, config(ThreadingMode.INVOKER, 1), json), this::err);
        String text = Files.readString(json).replaceAll("\\s+", "");
        for (String part : new String[] {"\"status\":\"ok\"", "\"collective\":\"sendrecv\"", "\"ranks\":2",
            "\"proxyrt.buffer.bytes\":\"65536\"", "\"size\":64,\"count\":32,\"type\":\"half\",\"redop\":\"none\"",
            "\"size\":256", "\"wrong\":0", "\"wrong\":null", "\"outOfBounds\":0", "\"cores\":"}) {
            assertTrue(text.contains(part), part + " is missing in " + text);
        }
        try (Stream<Path> files = Files.list(folder)) {
            assertEquals(List.of(json), files.toList());
        }
    }

    @Test
    void shouldWriteThroughNoLinkThatLiesBesideTheResults() throws Exception {
        Path json = folder.resolve("results.json");
        Path precious = Files.writeString(folder.resolve("precious"), "private");
        Files.createSymbolicLink(folder.resolve("results.json.part"), precious);
        new PerfReport(output(null, json), config(ThreadingMode.INVOKER, 1), 2).failed("no reason");
        assertEquals("private", Files.readString(precious));
        assertTrue(Files.readString(json).contains("no reason"));
    }

    @Test
    void shouldEndWithAReasonAtAllRanksIfOneFails() throws Exception {
        Path json = folder.resolve("results.json");
        PerfPlan plan = plan(Collective.ALL_REDUCE, new Sizes(8, 8, 2, 0), new Loops(1, 0, 1, 1, 0),
                List.of(DataType.INT32), List.of(PerfOp.SUM));
        PerfPlan greedy = plan(Collective.ALL_REDUCE, new Sizes(8, 1L << 50, 1L << 40, 0), plan.loops(), plan.types(),
                plan.ops());
        try (BootstrapRoot root = root(2)) {
            int status = RankThreads.run(0, 2, rank -> session(rank == 0 ? plan : greedy, 2,
                    config(ThreadingMode.INVOKER, 1), json).run(root.id(), rank, 2, () -> { }).ordinal());
            assertEquals(RankOutcome.FAILED.ordinal(), status);
        }
        assertTrue(err().matches("(?s).*rank 1: host:1: cannot (allocate|map) .*"), err());
        assertTrue(err().lines().anyMatch(line -> line.startsWith("proxyrt perf: rank 0: rank 1")), err());
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("# Failed: rank 0: rank 1 (pid"));
        assertTrue(Files.readString(json).contains("\"status\" : \"failed\""));
    }

    private void assertRight(Collective collective, PerfPlan plan, int sizes) {
        List<String[]> rows = out.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#"))
                .map(line -> line.strip().split("\\s+")).toList();
        assertEquals(plan.variants().size() * sizes, rows.size());
        for (String[] row : rows) {
            assertEquals("0", row[8], String.join(" ", row));
            assertEquals(collective.isCheckedInPlace() ? "0" : "N/A", row[12], String.join(" ", row));
        }
        assertTrue(out.toString(StandardCharsets.UTF_8).contains("# Out of bounds values : 0 OK"));
        assertEquals("", err());
    }

    private RankOutcome run(PerfPlan plan, int nRanks, ProxyConfig config, Path json) {
        return run(nRanks, any -> session(plan, nRanks, config, json));
    }

    private static RankOutcome run(int nRanks, IntFunction<RankSession> sessions) {
        try (BootstrapRoot root = root(nRanks)) {
            return RankOutcome.values()[RankThreads.run(0, nRanks,
                    rank -> sessions.apply(rank).run(root.id(), rank, nRanks, () -> { }).ordinal())];
        }
    }

    private RankSession session(PerfPlan plan, int nRanks, ProxyConfig config, Path json) {
        return PerfSession.of(plan, nRanks, RankConfigs.same(config),
                output(new PrintStream(out, true, StandardCharsets.UTF_8), json),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private static PerfOutput output(PrintStream table, Path json) {
        return new PerfOutput(table, null, Optional.ofNullable(json).map(file -> new Destination(file, null)),
                Optional.empty());
    }

    private ProxyConfig config(ThreadingMode mode, int channels) {
        return config(mode, channels, Map.of());
    }

    private ProxyConfig config(ThreadingMode mode, int channels, Map<String, String> options) {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.THREADING, mode)
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString())
                .set(CoreOptions.BUFFER_BYTES, 64L << 10).set(CollectivesOptions.CHANNELS, channels);
        options.forEach(builder::set);
        return builder.build();
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static BootstrapRoot root(int nRanks) {
        return BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), nRanks);
    }

    private static PerfPlan plan(Collective collective, Sizes sizes, Loops loops, List<DataType> types,
            List<PerfOp> ops) {
        return new PerfPlan(collective, sizes, loops, types, ops, List.of(0, 1), Average.AVERAGE, Duration.ZERO);
    }
}
