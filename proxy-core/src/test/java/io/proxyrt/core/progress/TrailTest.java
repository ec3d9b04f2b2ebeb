/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.counters.ActiveOp;
import io.proxyrt.core.counters.ActiveSnapshot;
import io.proxyrt.core.counters.ConnectionTraffic;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.CountersReader;
import io.proxyrt.core.counters.Event;
import io.proxyrt.core.counters.EventType;
import io.proxyrt.core.device.HostKernel;
import io.proxyrt.core.device.HostStream;
import io.proxyrt.core.device.HostStreams;
import io.proxyrt.core.op.OpsPoster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an agent leaves in the file, read from there alone. */
class TrailTest {
    private static final long MS = 1_000_000;
    @TempDir
    private Path directory;

    private ToIntFunction<ProxyArgs> behaviour = args -> 0;
    private TestRuntime runtime;
    private OpsPoster poster;
    private ProgressAgent agent;
    private ProxyConnection connection;
    private CountersReader reader;

    @BeforeEach
    void start() {
        runtime = new TestRuntime(directory);
        agent = runtime.progress();
        poster = runtime.pool().poster();
        connection = runtime.connection(new ScriptedTransport(args -> {
            args.state = args.state == ProxyArgs.State.READY ? ProxyArgs.State.PROGRESS : args.state;
            return behaviour.applyAsInt(args);
        }), Direction.RECV, 3);
        reader = CountersReader.open(directory.resolve("counters"));
    }

    @AfterEach
    void close() {
        reader.close();
        runtime.close();
    }

    @Test
    void shouldLeaveWhatBecameOfEachOp() {
        post(2, 4);
        drive(0);
        behaviour = args -> {
            args.sub(0).bytes = 1000;
            return finish(args);
        };
        agent.doWork();
        behaviour = args -> args.fail(ProxyResult.SYSTEM_ERROR, "no");
        agent.doWork();
        assertEquals(List.of("started 0", "fetched 2", "fetched 4", "done 2", "begun 4", "failed 4"), events());
        Event failed = reader.events().stream().filter(event -> event.type() == EventType.FAILED).findFirst()
                .orElseThrow();
        assertEquals(ProxyResult.SYSTEM_ERROR.code(), failed.detail());
        assertEquals(3, failed.peer());
        assertEquals(connection.id(), failed.connection());
    }

    @Test
    void shouldSumUpWhatTheConnectionCarried() {
        post(2, 4);
        behaviour = args -> {
            args.sub(0).bytes = 1000;
            return finish(args);
        };
        drive(1);
        ConnectionTraffic traffic = reader.traffic().getFirst();
        assertEquals(List.of(2L, 2000L, 16L), List.of(traffic.ops(), traffic.bytes(), traffic.steps()));
        assertEquals(List.of(connection.id(), 3, Direction.RECV, "SCRIPTED"),
                List.of(traffic.connection(), traffic.peer(), traffic.direction(), traffic.transport()));
    }

    @Test
    void shouldShowActiveOpsAndSinceWhenTheyStandStill() {
        post(2, 4);
        behaviour = args -> {
            args.sub(0).posted = 4;
            return 0;
        };
        drive(1);
        drive(2000);
        drive(3000);
        ActiveSnapshot snapshot = reader.active().orElseThrow();
        ActiveOp op = snapshot.ops().getFirst();
        assertEquals(List.of(2L, 4L), snapshot.ops().stream().map(ActiveOp::opCount).toList());
        assertEquals(List.of(0, 1), snapshot.ops().stream().map(ActiveOp::depth).toList());
        assertEquals(List.of(4, 0, 8, 3), List.of(op.posted(), op.received(), op.nsteps(), op.peer()));
        assertTrue(op.still().compareTo(Duration.ofMillis(4900)) > 0, op::toString);
        assertEquals("waits for rank 3 to send step 0 of 8", op.waitsFor());
    }

    @Test
    void shouldShowNoOpThatHasEnded() {
        post(2);
        drive(1);
        drive(200);
        assertEquals(1, reader.active().orElseThrow().ops().size());
        behaviour = this::finish;
        agent.doWork();
        assertEquals(0, reader.active().orElseThrow().ops().size(), "at once, for a caller may drive no more");
    }

    @Test
    void shouldNoteAStallOnceAndItsEnd() {
        post(2);
        drive(1);
        for (int i = 0; i < 5; i++) {
            drive(600);
        }
        assertEquals(List.of("started 0", "fetched 2", "stalled 2"), events());
        behaviour = args -> {
            args.sub(0).posted = 4;
            return 1;
        };
        drive(600);
        assertEquals(List.of("started 0", "fetched 2", "stalled 2", "resumed 2"), events());
    }

    @Test
    void shouldShowAKernelThatStandsStill() {
        HostStreams streams = new HostStreams("streams");
        HostStream stream = new HostStream("stream");
        streams.add(stream);
        agent.watch(streams);
        stream.launch(new Stuck());
        stream.doWork();
        drive(200);
        drive(200);
        assertEquals(List.of("stream: the stuck one"), reader.active().orElseThrow().waits().stream()
                .map(ActiveSnapshot.Wait::what).toList());
        stream.onClose();
        drive(200);
        assertEquals(List.of(), reader.active().orElseThrow().waits());
    }

    @Test
    void shouldTimePassesButNoSleep() {
        post(2);
        drive(1);
        agent.disarm();
        drive(5000);
        assertEquals(0, runtime.counters().get(Counter.PROGRESS_WORST));
        drive(7);
        assertEquals(7000, runtime.counters().get(Counter.PROGRESS_WORST));
    }

    /** Time goes on, and the agent looks at the clock. */
    private void drive(long ms) {
        runtime.nowNs += ms * MS;
        for (int i = 0; i < ProgressAgent.TICK_PASSES + 1; i++) {
            agent.doWork();
        }
    }

    private int finish(ProxyArgs args) {
        args.sub(0).done = args.sub(0).nsteps;
        args.done = 1;
        args.state = ProxyArgs.State.NONE;
        return 1;
    }

    private List<String> events() {
        return reader.events().stream().filter(event -> event.thread().equals("progress"))
                .map(event -> event.type().label() + " " + event.opCount()).toList();
    }

    private void post(long... opCounts) {
        for (long opCount : opCounts) {
            poster.append(opCount).connection(connection.id()).peer(3).nsteps(8).sliceSteps(1).chunkSteps(1);
        }
        poster.post();
    }

    /** Waits for ever. */
    private static final class Stuck implements HostKernel {
        @Override
        public int doWork() {
            return 0;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public void onRetired(boolean isDropped) {
            // Nothing is kept.
        }

        @Override
        public String toString() {
            return "the stuck one";
        }
    }
}
