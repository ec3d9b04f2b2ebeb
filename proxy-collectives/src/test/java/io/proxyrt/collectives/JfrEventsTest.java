/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.collectives.msccl.AlgorithmText;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.jfr.CollectiveEvent;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.testkit.Await;
import io.proxyrt.testkit.Extent;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a recording has of a job of two ranks. */
class JfrEventsTest {
    private static final int CALLS = 50;
    private static final int COUNT = 40_000;
    private static final Map<String, String> NOTHING_MORE = Map.of();

    /** By rank: what the counters say at its end. */
    private final Map<Integer, Map<Counter, Long>> counters = new ConcurrentHashMap<>();

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"DEDICATED, NET, 0", "INVOKER, NET, 0", "DEDICATED, SHM, 1", "INVOKER, SHM, 0"})
    void shouldTellEachOpAndEachCall(ThreadingMode mode, String transport, int copies) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, mode, transport)
                .set("shm.use.memcpy", Integer.toString(copies)).build();
        List<RecordedEvent> events = record(NOTHING_MORE, () -> InProcessRanks.run(2, config, this::allReduce));
        for (int rank = 0; rank < 2; rank++) {
            List<RecordedEvent> ops = of(events, "Op", rank);
            long ended = counters.get(rank).get(Counter.OPS_COMPLETED);
            assertEquals(ended, ops.size());
            assertEquals(ended, of(events, "OpPosted", rank).size());
            assertEquals(transport.equals("SHM") && copies == 0, ended == 0);
            ops.forEach(op -> assertSound(op, transport));
            assertEquals(counters.get(rank).get(Counter.NET_BYTES_SENT), bytes(ops, "SEND"));
            assertEquals(counters.get(rank).get(Counter.NET_BYTES_RECEIVED), bytes(ops, "RECV"));
            assertCalls(of(events, "Collective", rank));
            assertEquals(counters.get(rank).get(Counter.UDS_FDS_SENT), descriptors(events, rank, "SEND"));
            assertEquals(counters.get(rank).get(Counter.UDS_FDS_RECEIVED), descriptors(events, rank, "RECV"));
            assertEquals(transport.equals("SHM"), !of(events, "Descriptor", rank).isEmpty());
            List<RecordedEvent> choices = of(events, "TuningChoice", rank);
            assertEquals(1, choices.size());
            assertTrue(choices.getFirst().getString("choice").contains("protocol"), choices::toString);
            assertRpcCalls(of(events, "RpcCall", rank));
        }
        assertEquals(List.of(), of(events, "Step", 0));
        assertEquals(List.of(), of(events, "ProxyError", 0));
        assertEquals(List.of(), of(events, "Reconnect", 1));
    }

    private static int descriptors(List<RecordedEvent> events, int rank, String direction) {
        return of(events, "Descriptor", rank).stream().filter(event -> event.getString("direction").equals(direction))
                .mapToInt(event -> event.getInt("count")).sum();
    }

    private static void assertSound(RecordedEvent op, String transport) {
        assertEquals("SUCCESS", op.getString("result"));
        assertEquals(transport, op.getString("transport"));
        assertEquals("ALL_REDUCE", op.getString("function"));
        assertEquals(1 - op.getInt("rank"), op.getInt("peer"));
        assertEquals(op.getInt("steps"), op.getLong("done"));
        assertFalse(op.getDuration().isNegative());
    }

    private static void assertCalls(List<RecordedEvent> calls) {
        assertEquals(LongStream.rangeClosed(1, CALLS).boxed().toList(),
                calls.stream().map(call -> call.getLong("number")).sorted().toList());
        for (RecordedEvent call : calls) {
            assertEquals("ALL_REDUCE", call.getString("function"));
            assertEquals("FLOAT32", call.getString("type"));
            assertEquals("SUM", call.getString("reduction"));
            assertEquals(COUNT, call.getLong("count"));
            assertEquals(4L * COUNT, call.getLong("bytes"));
            assertEquals("RING", call.getString("algorithm"));
            assertFalse(call.getBoolean("isFailed"));
        }
    }

    private static void assertRpcCalls(List<RecordedEvent> calls) {
        Set<String> types = calls.stream().map(call -> call.getString("type")).collect(Collectors.toSet());
        assertTrue(types.containsAll(Set.of("INIT", "SETUP", "CONNECT")), types::toString);
        calls.forEach(call -> assertEquals("SUCCESS", call.getString("result"), call::toString));
    }

    @Test
    void shouldTellStepsIfAsked() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.INVOKER, "NET").build();
        List<RecordedEvent> events = record(Map.of("io.proxyrt.Step#enabled", "true"),
                () -> InProcessRanks.run(2, config, this::allReduce));
        for (int rank = 0; rank < 2; rank++) {
            Map<List<Object>, Long> done = new HashMap<>();
            for (RecordedEvent step : of(events, "Step", rank)) {
                long before = Objects.requireNonNullElse(done.put(op(step), step.getLong("done")), 0L);
                assertTrue(before <= step.getLong("done"), step::toString);
            }
            Map<List<Object>, Long> steps = of(events, "Op", rank).stream()
                    .collect(Collectors.toMap(JfrEventsTest::op, event -> event.getLong("done")));
            assertEquals(steps, done);
        }
    }

    private static List<Object> op(RecordedEvent event) {
        return List.of(event.getLong("connection"), event.getLong("opCount"), event.getInt("peer"),
                event.getInt("channel"), event.getString("transport"), event.getString("direction"),
                event.getInt("steps"), event.getString("job"));
    }

    @Test
    void shouldLeaveOutWhatIsShort() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "NET").build();
        List<RecordedEvent> events = record(Map.of("io.proxyrt.Op#threshold", "1 h", "io.proxyrt.Collective#threshold",
                "1 h", "io.proxyrt.OpPosted#enabled", "false"), () -> InProcessRanks.run(2, config, this::allReduce));
        assertEquals(List.of(), of(events, "Op", 0));
        assertEquals(List.of(), of(events, "Collective", 1));
        assertEquals(List.of(), of(events, "OpPosted", 1));
        assertEquals(1, of(events, "TuningChoice", 0).size());
    }

    /** As they are without a profile, and by the JDK's own. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveOutWhatFloodsUnlessAsked(boolean isByJdk) throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "NET").build();
        List<RecordedEvent> events = record(isByJdk ? new Recording(Configuration.getConfiguration("default"))
                : new Recording(), NOTHING_MORE, () -> InProcessRanks.run(2, config, this::allReduce));
        Set<String> types = events.stream().map(event -> event.getEventType().getName())
                .filter(type -> type.startsWith("io.proxyrt.")).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(types.contains("io.proxyrt.TuningChoice"), types::toString);
        types.removeAll(Set.of("io.proxyrt.TuningChoice", "io.proxyrt.Op", "io.proxyrt.RpcCall", "io.proxyrt.Stall"));
        assertEquals(Set.of(), types);
        for (RecordedEvent event : events) {
            assertTrue(!isOf(event, "Op") && !isOf(event, "RpcCall") || event.getDuration().toMillis() >= 10,
                    event::toString);
        }
    }

    /** Of each rank, whatever it has been told before. */
    @Test
    void shouldTellByWhatCallsWent() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "NET")
                .set(CollectivesOptions.DOUBLING_BYTES, 64L).set(CollectivesOptions.TREE_BYTES, 0L)
                .set(CollectivesOptions.MSCCL_FILES, Files.writeString(directory.resolve("ring.xml"),
                        AlgorithmText.ring(2, 1)
                                .replace("minBytes=\"0\"", "minBytes=\"4096\"")).toString()).build();
        List<RecordedEvent> events = record(NOTHING_MORE, () -> InProcessRanks.run(2, config, comm -> {
            MemorySegment data = comm.allocate(8192).segment();
            comm.group(calls -> {
                calls.allReduce(data, data, 0, DataType.FLOAT32, RedOp.SUM);
                calls.allReduce(data.asSlice(0, 48), data.asSlice(0, 48), 12, DataType.FLOAT32, RedOp.SUM);
                calls.allToAll(data.asSlice(256, 16), data.asSlice(512, 16), 2, DataType.FLOAT32);
                calls.allGatherv(data.asSlice(2048, 12), data.asSlice(3072, 16), new long[] {1, 3}, new long[] {0, 1},
                        DataType.FLOAT32);
                calls.allReduce(data.asSlice(48, 48), data.asSlice(48, 48), 12, DataType.FLOAT32, RedOp.SUM);
                calls.broadcast(data.asSlice(1024, 64), data.asSlice(1024, 64), 16, DataType.FLOAT32, 0);
            });
            comm.allReduce(data, data, 12, DataType.FLOAT32, RedOp.SUM);
            comm.allReduce(data, data, 2048, DataType.FLOAT32, RedOp.SUM);
            comm.group(_ -> { });
            comm.allReduce(data, data, 0, DataType.FLOAT32, RedOp.SUM);
            comm.synchronize();
        }));
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(Arrays.asList(null, "RING", null, "RING", "RING", "RING", "DOUBLING", "MSCCL", null),
                    algorithms(events, rank));
        }
    }

    /** Heads of two nodes, one of which has two ranks; a broadcast is none of the network's. */
    @ParameterizedTest
    @CsvSource({"COLLNETDIRECT", "COLLNETCHAIN"})
    void shouldTellWhatTheNetworkCarriesOut(String algorithm) throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 3).mapToObj(rank -> InProcessRanks.config(directory,
                ThreadingMode.DEDICATED, "").set(CollectivesOptions.ALGORITHM.key(), algorithm)
                .set(CollectivesOptions.COLLNET_ENABLE, true).set(CoreOptions.HOST_ID, "node " + rank / 2).build())
                .toList();
        List<RecordedEvent> events = record(NOTHING_MORE,
                () -> assertEquals(Arrays.asList(null, null, null), InProcessRanks.failures(configs, comm -> {
                    assertTrue(comm.explainCollNet().startsWith("used"), comm::explainCollNet);
                    MemorySegment data = comm.allocate(64).segment();
                    comm.allReduce(data, data, 16, DataType.FLOAT32, RedOp.SUM);
                    comm.broadcast(data, data, 16, DataType.FLOAT32, 0);
                    comm.synchronize();
                })));
        for (int rank = 0; rank < 3; rank++) {
            assertEquals(algorithm, algorithms(events, rank).getFirst());
            assertEquals("BROADCAST", of(events, "Collective", rank).get(1).getString("function"));
            assertFalse(algorithms(events, rank).get(1).startsWith("COLLNET"));
        }
    }

    /** Calls of a graph have their number, but run when their user says so. */
    @Test
    @Tag(Extent.ONLY_FULL)
    void shouldTellCallsOnGpusButNoneOfGraphs() throws Exception {
        List<ProxyConfig> configs = IntStream.range(0, 2)
                .mapToObj(rank -> GpuRanks.config(directory, ThreadingMode.DEDICATED, "SHM", rank)
                        .set(CollectivesOptions.ALGORITHM.key(), "tree").build()).toList();
        List<RecordedEvent> events = record(NOTHING_MORE,
                () -> assertEquals(Arrays.asList(null, null), InProcessRanks.failures(configs, comm -> {
                    try (DeviceStream stream = comm.proxy().device().stream("user");
                            RankBuffer data = new RankBuffer(comm, 64)) {
                        comm.allReduce(data.range(), data.range(), 8, DataType.INT64, RedOp.SUM);
                        stream.beginCapture();
                        comm.group(stream,
                                calls -> calls.allReduce(data.range(), data.range(), 8, DataType.INT64, RedOp.SUM));
                        stream.endCapture().close();
                        comm.allReduce(data.range(), data.range(), 8, DataType.INT64, RedOp.SUM);
                        comm.synchronize();
                        comm.barrier();
                    }
                })));
        for (int rank = 0; rank < 2; rank++) {
            assertEquals(List.of(1L, 3L), of(events, "Collective", rank).stream().map(call -> call.getLong("number"))
                    .toList());
            assertEquals(List.of("TREE", "TREE"), algorithms(events, rank));
        }
    }

    /** In the order of the calls. */
    private static List<String> algorithms(List<RecordedEvent> events, int rank) {
        return of(events, "Collective", rank).stream()
                .sorted(Comparator.comparing(event -> event.getLong("number")))
                .map(event -> event.getString("algorithm")).toList();
    }

    @Test
    void shouldTellCallsOnce() throws Exception {
        List<RecordedEvent> events = record(NOTHING_MORE, () -> {
            RecordedCalls calls = new RecordedCalls();
            calls.add(new CollectiveEvent(), null);
            calls.end(false);
            calls.end(true);
        });
        assertEquals(List.of(false), of(events, "Collective", 0).stream().map(event -> event.getBoolean("isFailed"))
                .toList());
    }

    @Test
    void shouldTellMessagesAndWhatFails() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "NET").build();
        List<RecordedEvent> events = record(NOTHING_MORE,
                () -> InProcessRanks.outcomes(List.of(config, config), comm -> {
                    MemorySegment data = comm.allocate(16).segment();
                    if (comm.rank() == 0) {
                        comm.recv(data, 1);
                        Await.until(() -> comm.proxy().counters().get(Counter.OPS_FETCHED) > 0, () -> "the op");
                        comm.abort("for a test");
                    } else {
                        comm.recv(data, 0);
                    }
                    comm.synchronize();
                }));
        for (int rank = 0; rank < 2; rank++) {
            RecordedEvent message = of(events, "Collective", rank).getFirst();
            assertEquals("RECV", message.getString("function"));
            assertEquals(1 - rank, message.getInt("peer"));
            assertEquals(16, message.getLong("bytes"));
            assertTrue(message.getBoolean("isFailed"), message::toString);
            RecordedEvent error = of(events, "ProxyError", rank).getFirst();
            assertTrue(error.getBoolean("isFirst"));
            assertTrue(error.getString("message").contains("for a test"), error::toString);
        }
        assertEquals(1, of(events, "Op", 0).size());
        List<RecordedEvent> ops = events.stream().filter(event -> isOf(event, "Op")).toList();
        ops.forEach(op -> assertFalse(op.getString("result").equals("SUCCESS"), op::toString));
    }

    @Test
    void shouldTellWhomAllWaitFor() throws Exception {
        ProxyConfig config = InProcessRanks.config(directory, ThreadingMode.DEDICATED, "NET")
                .set(CollectivesOptions.STALL, Duration.ofSeconds(2)).build();
        BlockingQueue<String> told = new LinkedBlockingQueue<>();
        List<RecordedEvent> events = record(NOTHING_MORE, () -> InProcessRanks.run(2, config, comm -> {
            allReduce(comm);
            if (comm.rank() == 0) {
                comm.onStall(told::add);
            } else {
                assertNotNull(told.poll(50, TimeUnit.SECONDS));
            }
            allReduce(comm);
        }));
        RecordedEvent stuck = of(events, "Stuck", 0).getFirst();
        assertEquals(1, stuck.getInt("culprit"));
        assertEquals("not called", stuck.getString("reason"));
        assertEquals(of(events, "Collective", 0).getFirst().getString("job"), stuck.getString("job"));
        assertTrue(stuck.getDuration("stillNs").compareTo(Duration.ofSeconds(2)) >= 0, stuck::toString);
        List<RecordedEvent> stalls = of(events, "Stall", 0);
        assertTrue(stalls.stream().anyMatch(stall -> !stall.getBoolean("isOver")), stalls::toString);
        assertTrue(stalls.stream().anyMatch(stall -> stall.getBoolean("isOver")
                && stall.getDuration("stillNs").compareTo(Duration.ofSeconds(2)) >= 0), stalls::toString);
    }

    private void allReduce(Communicator comm) {
        MemorySegment data = comm.allocate(4L * COUNT).segment();
        for (int i = 0; i < CALLS; i++) {
            comm.allReduce(data, data, COUNT, DataType.FLOAT32, RedOp.SUM);
        }
        comm.synchronize();
        comm.barrier();
        Map<Counter, Long> values = new EnumMap<>(Counter.class);
        for (Counter counter : Counter.values()) {
            values.put(counter, comm.proxy().counters().get(counter));
        }
        counters.put(comm.rank(), values);
    }

    private static long bytes(List<RecordedEvent> ops, String direction) {
        return ops.stream().filter(op -> op.getString("transport").equals("NET")
                && op.getString("direction").equals(direction)).mapToLong(op -> op.getLong("bytes")).sum();
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String type, int rank) {
        return events.stream().filter(event -> isOf(event, type) && event.getInt("rank") == rank).toList();
    }

    private static boolean isOf(RecordedEvent event, String type) {
        return event.getEventType().getName().equals("io.proxyrt." + type);
    }

    @FunctionalInterface
    private interface Work {
        void run() throws Exception;
    }

    /** By the profile that is in the jar, and what else is set. */
    private List<RecordedEvent> record(Map<String, String> settings, Work work) throws Exception {
        try (Reader profile = new InputStreamReader(
                ProxyState.class.getResourceAsStream("/META-INF/proxyrt.jfc"), StandardCharsets.UTF_8)) {
            return record(new Recording(Configuration.create(profile)), settings, work);
        }
    }

    private List<RecordedEvent> record(Recording made, Map<String, String> settings, Work work) throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (Recording recording = made) {
            settings.forEach((name, value) -> {
                Map<String, String> all = new HashMap<>(recording.getSettings());
                all.put(name, value);
                recording.setSettings(all);
            });
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        } catch (ProxyException e) {
            throw new AssertionError(e);
        }
        return RecordingFile.readAllEvents(file).stream().sorted(Comparator.comparing(RecordedEvent::getStartTime))
                .toList();
    }
}
