/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.cli.launch.RankConfigs;
import io.proxyrt.cli.launch.RankOutcome;
import io.proxyrt.cli.launch.RankSession;
import io.proxyrt.cli.launch.RankThreads;
import io.proxyrt.cli.view.Destination;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SoakTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final StringWriter document = new StringWriter();
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldFindNothingWrong(int nRanks) {
        assertEquals(RankOutcome.OK, soak(nRanks, new SoakPlan(7, 0, 25, Duration.ofMinutes(1), Duration.ZERO, 60_000)),
                this::err);
        assertTrue(out().contains("# Nothing wrong after 25 rounds"), out());
        assertEquals(26, out().lines().filter(line -> !line.startsWith("#")).count(), out());
        String json = document.toString().replaceAll("\\s+", "");
        assertTrue(json.startsWith("{\"status\":\"ok\",\"seed\":7,\"firstRound\":0,\"devices\":[\"Rank0Pid"), json);
        assertTrue(json.contains("\"rounds\":25,\"operations\":"), json);
        assertEquals("", err());
    }

    @Test
    void shouldEndWhenTheTimeIsUp() {
        Duration duration = Duration.ofMillis(200);
        assertEquals(RankOutcome.OK, soak(2, new SoakPlan(7, 0, Long.MAX_VALUE, duration, Duration.ofHours(1), 1000)),
                this::err);
        assertTrue(out().contains("# Nothing wrong after"), out());
    }

    @Test
    void shouldMakeTheSameRoundsOfTheSameSeed() {
        for (long number = 0; number < 1000; number++) {
            assertEquals(SoakRound.of(42, number, 4, 1 << 20), SoakRound.of(42, number, 4, 1 << 20));
        }
        assertNotEquals(SoakRound.of(42, 5, 4, 1 << 20).ops(), SoakRound.of(43, 5, 4, 1 << 20).ops());
        assertNotEquals(SoakRound.of(42, 5, 4, 1 << 20).ops(), SoakRound.of(42, 6, 4, 1 << 20).ops());
    }

    @Test
    void shouldTryEverythingThatThereIs() {
        List<SoakOp> ops = IntStream.range(0, 2000).boxed()
                .flatMap(number -> SoakRound.of(3, number, 3, 1 << 20).ops().stream()).toList();

        assertEquals(Stream.of(Collective.values()).filter(collective -> collective.isFor(3)).count(),
                ops.stream().map(SoakOp::collective).distinct().count());
        assertEquals(DataType.values().length, ops.stream().map(SoakOp::type).distinct().count());
        assertEquals(PerfOp.values().length + 1, ops.stream().map(op -> op.op() == null ? "" : op.op()).distinct()
                .count());
        assertEquals(4, ops.stream().map(SoakOp::peer).distinct().count());
        assertTrue(ops.stream().anyMatch(op -> op.count() == 1) && ops.stream().anyMatch(op -> op.count() == 1023));
        assertTrue(ops.stream().anyMatch(op -> op.recvOffset() % 2 == 1 && op.type() == DataType.FLOAT64));
        for (SoakOp op : ops) {
            Shape shape = op.shape(1, 3);
            assertTrue(Math.max(shape.sendCount(), shape.recvCount()) * op.type().sizeBytes() <= 1 << 20, op::toString);
        }
    }

    /** Where the parts of 4 ranks differ, 100 elements each are 0, 64, 128 and 192. */
    @ParameterizedTest
    @CsvSource({"ALL_REDUCE, 400", "REDUCE, 100", "ALL_GATHER, 1600", "ALL_GATHERV, 1536", "REDUCE_SCATTER, 400",
        "REDUCE_SCATTERV, 384", "BROADCAST, 400", "ALLTOALL, 1600", "ALLTOALLV, 1536", "GATHER, 400", "SCATTER, 400",
        "HYPERCUBE, 1600", "SENDRECV, 400"})
    void shouldCountWhatRanksGet(Collective collective, long received) {
        SoakOp op = new SoakOp(collective, DataType.INT32, collective.isReducing() ? PerfOp.SUM : null, 3, 100, 0, 0,
                false, 0);
        assertEquals(received, op.receivedCount(4));
    }

    @ParameterizedTest
    @EnumSource(Collective.class)
    void shouldSeeAnyByteThatIsWrong(Collective collective) {
        int peer = collective.isRooted() || collective == Collective.SENDRECV ? 0 : -1;
        SoakOp op = new SoakOp(collective, DataType.INT32, collective.isReducing() ? PerfOp.SUM : null, peer, 100, 13,
                7, false, 99);
        withBuffers(buffers -> {
            MemorySegment output = buffers.output(op);
            buffers.prepare(op);
            assertTrue(buffers.findWrong(op).startsWith("100 wrong elements in the output"), buffers.findWrong(op));
            output.copyFrom(buffers.input(op));
            assertEquals("", buffers.findWrong(op));

            long at = 55 * 4 + 2;
            output.set(ValueLayout.JAVA_BYTE, at, (byte) ~output.get(ValueLayout.JAVA_BYTE, at));
            assertTrue(buffers.findWrong(op).matches("1 wrong elements in the output.*, the first at 55: .*"),
                    buffers.findWrong(op));
            output.copyFrom(buffers.input(op));

            MemorySegment input = buffers.input(op);
            input.set(ValueLayout.JAVA_BYTE, 399, (byte) ~input.get(ValueLayout.JAVA_BYTE, 399));
            assertTrue(buffers.findWrong(op).contains("in the input, the first at 99"), buffers.findWrong(op));
        });
    }

    @Test
    void shouldSeeWhatIsWrittenBeyondTheOutput() {
        SoakOp op = new SoakOp(Collective.ALL_REDUCE, DataType.INT8, PerfOp.MAX, -1, 50, 0, 4095, true, 0);
        SoakOp longer = new SoakOp(Collective.ALL_REDUCE, DataType.INT8, PerfOp.MAX, -1, 51, 0, 4095, true, 0);
        withBuffers(buffers -> {
            buffers.prepare(op);
            assertEquals("", buffers.findWrong(op));
            buffers.output(longer).set(ValueLayout.JAVA_BYTE, 50, (byte) 1);
            assertEquals("1 words around the output were overwritten", buffers.findWrong(op));
        });
    }

    @Test
    void shouldSayAllThereIsToKnowAboutTheFirstThingWrong() {
        SoakReport report = new SoakReport(new PrintStream(out, true, StandardCharsets.UTF_8),
                Optional.of(new Destination(Path.of("-"), new PrintWriter(document))));
        report.begin(17, new SoakPlan(17, 0, 9, Duration.ofHours(1), Duration.ofHours(1), 1000), List.of("a", "b"));
        SoakRound round = SoakRound.of(17, 3, 2, 1000);
        report.wrong(round, List.of("", "operation 0: 1 wrong elements"));
        report.end(false);

        assertTrue(out().contains("# WRONG DATA in round 3, seed 17:"), out());
        assertTrue(out().contains("#   operation 0: " + round.ops().getFirst()), out());
        assertTrue(out().contains("#   rank 0: nothing wrong"), out());
        assertTrue(out().contains("#   rank 1: operation 0: 1 wrong elements"), out());
        assertTrue(out().contains("--seed 17 --from 3 --rounds 1"), out());
        assertTrue(document.toString().startsWith("{\n  \"status\" : \"wrong data\""), document.toString());
        assertTrue(document.toString().contains("\"round\" : 3"), document.toString());
    }

    @Test
    void shouldHaveEnoughWhenItsOutputIsClosed() {
        PrintStream stream = new PrintStream(out, true, StandardCharsets.UTF_8);
        SoakReport report = new SoakReport(stream, Optional.empty());
        report.begin(17, new SoakPlan(17, 0, 9, Duration.ofHours(1), Duration.ofHours(1), 1000), List.of("a", "b"));
        assertFalse(report.isEnough());
        stream.close();
        report.end(true);
        assertTrue(report.isEnough());
    }

    private void withBuffers(Consumer<SoakBuffers> action) {
        try (BootstrapRoot root = root(1); Communicator comm = Communicator.init(root.id(), 0, 1, config());
                DeviceBytes access = new DeviceBytes(comm.proxy().device());
                SoakBuffers buffers = new SoakBuffers(comm, 1000, access, SoakBuffers.patterns())) {
            action.accept(buffers);
        }
    }

    private RankOutcome soak(int nRanks, SoakPlan plan) {
        RankSession session = SoakSession.of(plan, RankConfigs.same(config()),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                Optional.of(new Destination(Path.of("-"), new PrintWriter(document))),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        try (BootstrapRoot root = root(nRanks)) {
            return RankOutcome.values()[RankThreads.run(0, nRanks,
                    rank -> session.run(root.id(), rank, nRanks, () -> { }).ordinal())];
        }
    }

    private ProxyConfig config() {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.THREADING, ThreadingMode.INVOKER)
                .set(CoreOptions.DIRECTORY, folder.resolve("runtimes").toString())
                .set(CoreOptions.BUFFER_BYTES, 64L << 10).build();
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static BootstrapRoot root(int nRanks) {
        return BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), nRanks);
    }
}
