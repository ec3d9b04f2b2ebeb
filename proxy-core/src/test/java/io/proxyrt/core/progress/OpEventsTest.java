/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.op.OpsPoster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a recording has of the ops of an agent that do not end well, or stand still. */
class OpEventsTest {
    private static final long MS = 1_000_000;
    private static final long UNKNOWN = 99;

    @TempDir
    private Path directory;

    private final Recording recording = new Recording();
    private ToIntFunction<ProxyArgs> behaviour = args -> 0;
    private TestRuntime runtime;
    private OpsPoster poster;
    private ProgressAgent agent;
    private ScriptedTransport transport;
    private ProxyConnection connection;

    @BeforeEach
    void start() {
        recording.enable("io.proxyrt.Op").withoutThreshold();
        recording.enable("io.proxyrt.Stall");
        recording.start();
        runtime = new TestRuntime(directory);
        agent = runtime.progress();
        poster = runtime.pool().poster();
        transport = new ScriptedTransport(args -> {
            args.state = args.state == ProxyArgs.State.READY ? ProxyArgs.State.PROGRESS : args.state;
            return behaviour.applyAsInt(args);
        });
        connection = runtime.connection(transport, Direction.RECV, 3);
    }

    @AfterEach
    void close() {
        recording.close();
        runtime.close();
    }

    @Test
    void shouldTellWhyAnOpIsRefused() throws IOException {
        post(UNKNOWN, 2);
        ProxyConnection unconnected = runtime.unconnected(transport, Direction.SEND, 1);
        post(unconnected.id(), 4);
        drive(1);
        List<RecordedEvent> ops = events("Op");
        assertEquals(List.of(2L, 4L), ops.stream().map(op -> op.getLong("opCount")).toList());
        for (RecordedEvent op : ops) {
            assertEquals("INVALID_USAGE", op.getString("result"));
            assertEquals("ALL_GATHER", op.getString("function"));
            assertEquals("LL128", op.getString("protocol"));
            assertEquals(List.of(8, 3, 0), List.of(op.getInt("steps"), op.getInt("peer"), op.getInt("rank")));
            assertEquals("test", op.getString("job"));
        }
        assertEquals("refused: there is no such connection", ops.getFirst().getString("error"));
        assertNull(ops.getFirst().getString("transport"));
        assertEquals("refused: " + unconnected.whyNoOps(), ops.getLast().getString("error"));
        assertEquals(List.of("SCRIPTED", "SEND"), way(ops.getLast()));
    }

    @Test
    void shouldTellFailedOpsFromDroppedOnes() throws IOException {
        post(connection.id(), 2);
        drive(1);
        behaviour = args -> args.fail(ProxyResult.SYSTEM_ERROR, "no");
        drive(1);
        post(runtime.connection(transport, Direction.SEND, 1).id(), 4);
        behaviour = args -> 0;
        drive(1);
        agent.abort();
        drive(1);
        List<RecordedEvent> ops = events("Op");
        assertEquals(List.of("SYSTEM_ERROR", "DROPPED"), ops.stream().map(op -> op.getString("result")).toList());
        assertEquals(connection.failure().getMessage(), ops.getFirst().getString("error"));
        assertNull(ops.getLast().getString("error"));
        assertEquals(List.of("SCRIPTED", "SEND"), way(ops.getLast()));
    }

    @Test
    void shouldEndTheStallOfAnOpThatEndsBetweenTwoLooks() throws IOException {
        stall(2);
        behaviour = args -> {
            args.sub(0).done = args.sub(0).nsteps;
            args.done = 1;
            args.state = ProxyArgs.State.NONE;
            return 1;
        };
        agent.doWork();
        assertStallIsOver();
        assertEquals(List.of("fetched 2", "stalled 2", "resumed 2", "done 2"), trail());
    }

    /** It has not moved again. */
    @Test
    void shouldEndTheStallOfAnOpThatFails() throws IOException {
        stall(2);
        behaviour = args -> args.fail(ProxyResult.SYSTEM_ERROR, "no");
        agent.doWork();
        assertStallIsOver();
        assertEquals(List.of("fetched 2", "stalled 2", "failed 2"), trail());
    }

    @Test
    void shouldEndTheStallOfAnOpThatIsDropped() throws IOException {
        stall(2);
        agent.abort();
        agent.doWork();
        assertStallIsOver();
        assertEquals(List.of("fetched 2", "stalled 2", "failed 2"), trail());
    }

    private void stall(long opCount) {
        post(connection.id(), opCount);
        drive(1);
        drive(1500);
        drive(500);
    }

    private void assertStallIsOver() throws IOException {
        List<RecordedEvent> stalls = events("Stall");
        assertEquals(List.of(false, true), stalls.stream().map(stall -> stall.getBoolean("isOver")).toList());
        assertEquals(Duration.ofMillis(2000), stalls.getLast().getDuration("stillNs"));
        for (RecordedEvent stall : stalls) {
            assertEquals(List.of(2L, connection.id()), List.of(stall.getLong("opCount"), stall.getLong("connection")));
            assertEquals(List.of("SCRIPTED", "RECV"), way(stall));
        }
    }

    private static List<String> way(RecordedEvent event) {
        return List.of(event.getString("transport"), event.getString("direction"));
    }

    private List<String> trail() {
        try (CountersReader reader = CountersReader.open(directory.resolve("counters"))) {
            return reader.events().stream().filter(event -> event.thread().equals("progress") && event.opCount() != 0)
                    .map(event -> event.type().label() + " " + event.opCount()).toList();
        }
    }

    private void post(long connectionId, long opCount) {
        poster.append(opCount).connection(connectionId).peer(3).nsteps(8).sliceSteps(1).chunkSteps(1)
                .coll(CollFunction.ALL_GATHER.ordinal()).protocol(Protocol.LL128.ordinal());
        poster.post();
    }

    /** Time goes on, and the agent looks at the clock. */
    private void drive(long ms) {
        runtime.nowNs += ms * MS;
        for (int i = 0; i < ProgressAgent.TICK_PASSES + 1; i++) {
            agent.doWork();
        }
    }

    private List<RecordedEvent> events(String type) throws IOException {
        Path file = directory.resolve("recording.jfr");
        recording.stop();
        recording.dump(file);
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("io.proxyrt." + type))
                .sorted(Comparator.comparing(RecordedEvent::getStartTime)).toList();
    }
}
