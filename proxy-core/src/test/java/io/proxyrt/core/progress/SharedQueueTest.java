/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections whose ops share a queue: which ops form a group. */
class SharedQueueTest {
    @TempDir
    Path directory;

    private final List<String> advanced = new ArrayList<>();
    private Function<ProxyArgs, Integer> behaviour = args -> 0;
    private TestRuntime runtime;
    private OpsPoster poster;
    private ProgressAgent agent;
    private ScriptedTransport transport;

    @BeforeEach
    void start() {
        runtime = new TestRuntime(directory);
        agent = runtime.progress();
        poster = runtime.pool().poster();
        transport = new ScriptedTransport(args -> {
            args.state = args.state == ProxyArgs.State.READY ? ProxyArgs.State.PROGRESS : args.state;
            advanced.add(args.opCount() + "x" + args.nsubs());
            return behaviour.apply(args);
        });
    }

    @AfterEach
    void shouldBalance() {
        runtime.pool().audit();
        runtime.close();
    }

    @Test
    void shouldGatherOpsOfOneOpCountOnSharedConnections() {
        List<ProxyConnection> connections = sharing(2);
        ProxyConnection first = connections.get(0);
        ProxyConnection second = connections.get(1);
        append(first, 3);
        append(second, 3);
        append(first, 5);
        poster.post();
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("3x2"), advanced);
        behaviour = this::finish;
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("3x2", "3x2", "5x1"), advanced);
    }

    @Test
    void shouldLeaveAGroupAsItWasWhenASubDoesNotMatch() {
        List<ProxyConnection> connections = sharing(3);
        append(connections.get(0), 3);
        append(connections.get(1), 3).dtype(7);
        append(connections.get(2), 3);
        poster.post();
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("3x2"), advanced);
        assertEquals(1, runtime.counters().get(Counter.OPS_FAILED));
    }

    @Test
    void shouldRefuseASubForAGroupThatRuns() {
        List<ProxyConnection> connections = sharing(2);
        post(connections.get(0), 3);
        agent.doWork();
        agent.doWork();
        post(connections.get(1), 3);
        agent.doWork();
        assertTrue(runtime.asyncResult().failure().getMessage().contains("its group is already running"));
    }

    @Test
    void shouldCarryTwoOpsOfOneConnectionOutOneAfterTheOther() {
        List<ProxyConnection> connections = sharing(2);
        append(connections.get(0), 3);
        append(connections.get(0), 3);
        append(connections.get(1), 3);
        poster.post();
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("3x1"), advanced, "the second op waits, and the third joins it");
        behaviour = this::finish;
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("3x1", "3x1", "3x2"), advanced);
        assertEquals(3, runtime.counters().get(Counter.OPS_COMPLETED));
    }

    private List<ProxyConnection> sharing(int count) {
        AppendQueue queue = new AppendQueue();
        List<ProxyConnection> connections = IntStream.rangeClosed(1, count)
                .mapToObj(peer -> runtime.connection(transport, Direction.SEND, peer)).toList();
        connections.forEach(connection -> connection.share(queue));
        return connections;
    }

    private int finish(ProxyArgs args) {
        args.state = ProxyArgs.State.NONE;
        return 1;
    }

    private ProxyOpEncoder append(ProxyConnection connection, long opCount) {
        return poster.append(opCount).connection(connection.id()).peer(connection.peer()).channelId(5).nsteps(1)
                .sliceSteps(1).chunkSteps(1);
    }

    private void post(ProxyConnection connection, long opCount) {
        append(connection, opCount);
        poster.post();
    }
}
