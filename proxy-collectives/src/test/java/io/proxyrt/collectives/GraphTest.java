/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceGraph;
import io.proxyrt.core.device.DeviceStream;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives that a stream of the user captures, and that a graph launches again and again. */
@Tag("installed-gpu")
class GraphTest {
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int ROUNDS = 20;
    private static final int LARGE = 200_000;

    @TempDir
    Path directory;

    private void run(String transport, ThreadingMode mode, InProcessRanks.Body body) throws Exception {
        run(transport, mode, "auto", body);
    }

    private void run(String transport, ThreadingMode mode, String algorithm, InProcessRanks.Body body)
            throws Exception {
        GpuRanks.assumeRoomFor(2);
        List<ProxyConfig> configs = IntStream.range(0, 2)
                .mapToObj(rank -> GpuRanks.config(directory, mode, transport, rank)
                        .set(CollectivesOptions.ALGORITHM.key(), algorithm).build()).toList();
        for (Throwable failure : InProcessRanks.outcomes(configs, comm -> {
            assumeTrue(comm.proxy().device().capabilities().contains(DeviceCapability.GRAPHS));
            body.run(comm);
        })) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    private static DeviceGraph capture(Communicator comm, DeviceStream stream, Consumer<Collectives> body) {
        stream.beginCapture();
        comm.group(stream, body);
        return stream.endCapture();
    }

    private static void launch(DeviceGraph graph, DeviceStream stream) {
        int given = graph.launch(stream);
        while (given == 0) {
            Thread.onSpinWait();
            given = graph.launch(stream);
        }
        assertEquals(1, given, stream::failure);
    }

    private static void fill(RankBuffer buffer, int count, long value) {
        buffer.write(Arena.ofAuto().allocateFrom(JAVA_LONG, LongStream.range(value, value + count).toArray()));
    }

    private static void check(RankBuffer buffer, int count, long value, long factor) {
        assertArrayEquals(LongStream.range(0, count).map(i -> value + factor * i).toArray(), read(buffer, count));
    }

    private static long[] read(RankBuffer buffer, int count) {
        return buffer.read(8L * count).toArray(JAVA_LONG);
    }

    /** Each launch doubles the sum of the ranks once more; what is launched between doubles other memory. */
    @ParameterizedTest
    @CsvSource({"SHM, auto", "NET, auto", "P2P, auto", "SHM, tree", "NET, tree"})
    void shouldDoAgainWhatWasCaptured(String transport, String algorithm) throws Exception {
        run(transport, ThreadingMode.DEDICATED, algorithm, comm -> {
            Device device = comm.proxy().device();
            try (DeviceStream stream = device.stream("user");
                    RankBuffer data = new RankBuffer(comm, 8 * LARGE);
                    RankBuffer small = new RankBuffer(comm, 8)) {
                fill(data, LARGE, comm.rank());
                fill(small, 1, 1);
                try (DeviceGraph graph = capture(comm, stream, calls -> {
                    calls.allReduce(data.range(), data.range(), LARGE, DataType.INT64, RedOp.SUM);
                    calls.allReduce(small.range(), small.range(), 1, DataType.INT64, RedOp.MAX);
                })) {
                    comm.synchronize();
                    comm.barrier();
                    for (int round = 0; round < ROUNDS; round++) {
                        launch(graph, stream);
                        comm.allReduce(small.range(), small.range(), 1, DataType.INT64, RedOp.SUM);
                        launch(graph, stream);
                    }
                    stream.synchronize(LONG);
                    comm.synchronize();
                    long doubled = 1L << (2 * ROUNDS - 1);
                    check(data, LARGE, doubled, 2 * doubled);
                    check(small, 1, 1L << ROUNDS, 0);
                    comm.barrier();
                }
            }
        });
    }

    /** Tables of its parts, and copies of its inputs, are a graph's own. */
    @ParameterizedTest
    @ValueSource(strings = {"SHM", "NET"})
    void shouldKeepWhatAGraphNeeds(String transport) throws Exception {
        run(transport, ThreadingMode.DEDICATED, comm -> {
            int peer = 1 - comm.rank();
            long[] counts = {3, 1};
            long[] displacements = {1, 0};
            try (DeviceStream stream = comm.proxy().device().stream("user");
                    RankBuffer own = new RankBuffer(comm, 8 * 4);
                    RankBuffer all = new RankBuffer(comm, 8 * 4);
                    RankBuffer swapped = new RankBuffer(comm, 8 * 4);
                    RankBuffer large = new RankBuffer(comm, 8 * LARGE)) {
                fill(own, 4, 10 * comm.rank());
                fill(swapped, 4, 100 * comm.rank());
                try (DeviceGraph graph = capture(comm, stream, calls -> {
                    calls.allGatherv(own.range(), all.range(), counts, displacements, DataType.INT64);
                    calls.allToAll(swapped.range(), swapped.range(), 2, DataType.INT64);
                    calls.send(own.range(0, 8), peer);
                    calls.recv(all.range(24, 8), peer);
                })) {
                    comm.barrier();
                    for (int i = 0; i < 101; i++) {
                        comm.allGatherv(own.range(), large.range(), new long[] {1, 2}, new long[] {9, 0},
                                DataType.INT64);
                        comm.group(calls -> calls.allToAll(large.range(), large.range(), LARGE / 2, DataType.INT64));
                        comm.synchronize();
                        launch(graph, stream);
                    }
                    stream.synchronize(LONG);
                    comm.synchronize();
                    assertArrayEquals(new long[] {10, 0, 1, 10 * peer}, read(all, 4));
                    // Swapped an odd number of times: the ranks' halves of this rank's number.
                    int half = 2 * comm.rank();
                    assertArrayEquals(new long[] {half, half + 1, 100 + half, 101 + half}, read(swapped, 4));
                    comm.barrier();
                }
            }
        });
    }

    @Test
    void shouldRefuseACaptureInInvokerModeAndGoOn() throws Exception {
        run("SHM", ThreadingMode.INVOKER, comm -> {
            try (DeviceStream stream = comm.proxy().device().stream("user");
                    RankBuffer data = new RankBuffer(comm, 8)) {
                fill(data, 1, 1);
                stream.beginCapture();
                ProxyException refusal = assertThrows(ProxyException.class, () -> comm.group(stream,
                        calls -> calls.allReduce(data.range(), data.range(), 1, DataType.INT64, RedOp.SUM)));
                assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
                assertTrue(refusal.getMessage().contains("INVOKER"), refusal.getMessage());
                stream.endCapture().close();
                comm.allReduce(data.range(), data.range(), 1, DataType.INT64, RedOp.SUM);
                comm.synchronize();
                check(data, 1, 2, 0);
            }
        });
    }

    /** The user's library spoiled its capture: nothing was launched, so nothing ends. */
    @Test
    void shouldGoOnWhenACaptureIsInvalid() throws Exception {
        run("NET", ThreadingMode.DEDICATED, comm -> {
            Device device = comm.proxy().device();
            try (DeviceStream stream = device.stream("user");
                    DeviceStream same = device.wrapStream(stream.handle(), "same");
                    RankBuffer data = new RankBuffer(comm, 8)) {
                fill(data, 1, 1);
                stream.beginCapture();
                assertTrue(same.query() < 0);
                ProxyException refusal = assertThrows(ProxyException.class, () -> comm.group(stream,
                        calls -> calls.allReduce(data.range(), data.range(), 1, DataType.INT64, RedOp.SUM)));
                assertEquals(ProxyResult.INVALID_USAGE, refusal.result());
                assertThrows(ProxyException.class, stream::endCapture);
                comm.allReduce(data.range(), data.range(), 1, DataType.INT64, RedOp.SUM);
                comm.synchronize();
                check(data, 1, 2, 0);
                comm.barrier();
            }
        });
    }

    /** The stream goes on without the data, and the next call tells. */
    @ParameterizedTest
    @ValueSource(strings = {"SHM", "NET"})
    void shouldEndWhenARankGivesUp(String transport) throws Exception {
        runWithGraph(transport, (comm, stream, graph) -> {
            if (comm.rank() == 0) {
                comm.abort("as the test wants");
            } else {
                launch(graph, stream);
                stream.synchronize(LONG);
            }
            ProxyException failure = assertThrows(ProxyException.class, comm::synchronize);
            assertTrue(failure.getMessage().contains("as the test wants"), failure.getMessage());
            launch(graph, stream);
            stream.synchronize(LONG);
        });
    }

    /** Closing while a graph is under way, whose other rank does nothing, neither hangs nor breaks. */
    @Test
    void shouldCloseUnderAGraph() throws Exception {
        runWithGraph("NET", (comm, stream, graph) -> {
            if (comm.rank() == 0) {
                launch(graph, stream);
            }
            assertNotNull(comm.close(Duration.ofSeconds(1)));
        });
    }

    /** What is done with a graph of one large all-reduce. */
    private interface GraphBody {
        void run(Communicator comm, DeviceStream stream, DeviceGraph graph) throws Exception;
    }

    private void runWithGraph(String transport, GraphBody body) throws Exception {
        run(transport, ThreadingMode.DEDICATED, comm -> {
            try (DeviceStream stream = comm.proxy().device().stream("user");
                    RankBuffer data = new RankBuffer(comm, 8 * LARGE);
                    DeviceGraph graph = capture(comm, stream, calls -> calls.allReduce(data.range(), data.range(),
                            LARGE, DataType.INT64, RedOp.SUM))) {
                comm.barrier();
                body.run(comm, stream, graph);
            }
        });
    }
}
