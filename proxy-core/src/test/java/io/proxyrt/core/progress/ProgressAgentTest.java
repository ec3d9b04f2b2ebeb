/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProgressAgentTest {
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
            if (args.state == ProxyArgs.State.READY) {
                args.state = ProxyArgs.State.PROGRESS;
            }
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
    void shouldRunOpsOfOneConnectionInOrder() {
        ProxyConnection connection = connected(1);
        post(connection, 2, 4, 6);
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("2x1"), advanced);
        behaviour = this::finish;
        agent.doWork();
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("2x1", "2x1", "4x1", "6x1"), advanced);
        assertTrue(agent.isDrained());
        assertEquals(3, runtime.counters().get(Counter.OPS_COMPLETED));
        assertEquals(0, poster.outstanding());
        assertNull(connection.appendQueue().tail);
    }

    @Test
    void shouldRunOpsOfDifferentConnectionsSideBySide() {
        post(connected(1), 2);
        post(connected(2), 2);
        agent.doWork();
        agent.doWork();
        assertEquals(List.of("2x1", "2x1"), advanced);
    }

    @Test
    void shouldHaveTransportsLookOnceAPass() {
        post(connected(1), 2);
        agent.doWork();
        agent.doWork();
        assertEquals(List.of(1), runtime.polls, "a pass without ops needs no look");
        post(connected(2), 2);
        post(connected(3), 2);
        agent.doWork();
        runtime.polls.clear();
        advanced.clear();
        agent.doWork();
        assertEquals(List.of("2x1", "2x1", "2x1"), advanced);
        assertEquals(List.of(3), runtime.polls);
    }

    @Test
    void shouldFetchWhileBusyOnlyEveryEighthPass() {
        behaviour = args -> 1;
        post(connected(1), 2);
        agent.doWork();
        post(connected(2), 4);
        for (int pass = 0; pass < 7; pass++) {
            agent.doWork();
        }
        assertFalse(advanced.contains("4x1"));
        agent.doWork();
        agent.doWork();
        assertTrue(advanced.contains("4x1"));
    }

    @Test
    void shouldFetchSeventeenGroupsAtOnceAndTheRestLater() {
        ProxyConnection connection = connected(1);
        for (int i = 0; i < 20; i++) {
            append(connection, i);
        }
        poster.post();
        agent.doWork();
        assertEquals(17, runtime.counters().get(Counter.OPS_FETCHED));
        agent.doWork();
        assertEquals(20, runtime.counters().get(Counter.OPS_FETCHED));
    }

    @Test
    void shouldRemoveAFailedOpAndGoOnWithTheOthers() {
        ProxyConnection broken = connected(1);
        post(broken, 2, 4);
        post(connected(2), 6);
        agent.doWork();
        behaviour = args -> args.opCount() == 2
                ? args.fail(ProxyResult.REMOTE_ERROR, "the cable is cut") : finish(args);
        agent.doWork();
        assertEquals(2, runtime.counters().get(Counter.OPS_FAILED), "op 4 cannot run without op 2");
        assertEquals(1, runtime.counters().get(Counter.OPS_COMPLETED));
        ProxyException failure = runtime.asyncResult().failure();
        assertEquals(ProxyResult.REMOTE_ERROR, failure.result());
        assertTrue(failure.getMessage().contains("op 2") && failure.getMessage().contains("peer 1, channel 5")
                && failure.getMessage().contains("the cable is cut"), failure.getMessage());
        post(broken, 8);
        agent.doWork();
        agent.doWork();
        assertEquals(3, runtime.counters().get(Counter.OPS_FAILED));
        assertEquals(0, poster.outstanding());
    }

    @Test
    void shouldTurnAnExceptionOfATransportIntoAFailedOp() {
        post(connected(1), 2);
        behaviour = args -> {
            throw new IllegalStateException("oops");
        };
        agent.doWork();
        agent.doWork();
        assertEquals(ProxyResult.INTERNAL_ERROR, runtime.asyncResult().failure().result());
        assertTrue(agent.isDrained());
        assertEquals(0, poster.outstanding());
    }

    @Test
    void shouldRefuseOpsThatMakeNoSense() {
        ProxyConnection connection = connected(1);
        append(connection, 2).nsteps(0);
        append(connection, 4).sliceSteps(0);
        append(connection, 6).chunkSteps(3).sliceSteps(2).nsteps(2);
        append(connection, 8).nsteps(3).sliceSteps(2).chunkSteps(2);
        append(connection, 10).nbytes(-1);
        append(connection, 12).connection(0x7777);
        poster.post();
        agent.doWork();
        assertEquals(6, runtime.counters().get(Counter.OPS_FAILED));
        assertEquals(0, poster.outstanding());
        assertTrue(agent.isDrained());
    }

    @Test
    void shouldRefuseOpsBeforeTheConnectionIsConnected() {
        post(runtime.unconnected(transport, Direction.SEND, 1), 2);
        agent.doWork();
        assertTrue(runtime.asyncResult().failure().getMessage().contains("SETUP_DONE"));
    }

    /** Connections whose ops share a queue. */
    private List<ProxyConnection> sharing(int count) {
        AppendQueue queue = new AppendQueue();
        List<ProxyConnection> connections = IntStream.rangeClosed(1, count).mapToObj(this::connected).toList();
        connections.forEach(connection -> connection.share(queue));
        return connections;
    }

    @Test
    void shouldLetGoOfAConnectionAfterFailingItsOps() {
        ProxyConnection leaving = connected(1);
        ProxyConnection staying = connected(2);
        post(leaving, 2, 4, 6);
        post(staying, 8);
        agent.doWork();
        agent.detach(List.of(leaving), new ProxyException(ProxyResult.REMOTE_ERROR, "peer left"));
        for (int pass = 0; pass < 4; pass++) {
            agent.doWork();
        }
        assertTrue(leaving.isDetached());
        assertFalse(staying.isDetached());
        assertEquals(3, runtime.counters().get(Counter.OPS_FAILED));
        assertEquals(1, poster.outstanding());
    }

    @Test
    void shouldSayWhatBeganItToAllThatFallOneAfterTheOther() {
        List<ProxyConnection> connections = sharing(3);
        for (int op = 0; op < 2; op++) {
            append(connections.get(op), 3 + 2 * op);
            append(connections.get(op + 1), 3 + 2 * op);
            poster.post();
        }
        behaviour = args -> args.opCount() == 3 ? -ProxyResult.REMOTE_ERROR.code() : 0;
        for (int pass = 0; pass < 4; pass++) {
            agent.doWork();
        }

        assertEquals(0, poster.outstanding());
        ProxyException origin = connections.get(0).failure();
        assertTrue(origin.getMessage().contains("op 3"), origin.getMessage());
        assertSame(origin, connections.get(2).failure());
    }

    @Test
    void shouldLetGoOfASharedConnectionHiddenBehindAnothersOp() {
        List<ProxyConnection> connections = sharing(2);
        ProxyConnection first = connections.get(0);
        ProxyConnection second = connections.get(1);
        post(first, 3);
        post(second, 5);
        agent.doWork();
        agent.detach(List.of(second), new ProxyException(ProxyResult.REMOTE_ERROR, "peer left"));
        agent.doWork();
        assertTrue(second.isDetached());
        assertFalse(first.isDetached());
        assertEquals(1, poster.outstanding());
        post(first, 7);
        agent.doWork();
        behaviour = this::finish;
        agent.doWork();
        agent.doWork();
        assertEquals(0, poster.outstanding());
        assertEquals(2, runtime.counters().get(Counter.OPS_COMPLETED));
    }

    @Test
    void shouldDropAnOpThatDoesNotEndInTime() {
        ProxyConnection slow = connected(1);
        append(slow, 2).timeoutMs(10);
        append(slow, 4);
        append(connected(2), 6).timeoutMs(20);
        append(connected(3), 8);
        poster.post();
        agent.doWork();
        passTime(9);
        assertEquals(0, runtime.counters().get(Counter.OPS_FAILED));
        passTime(2);
        assertEquals(2, runtime.counters().get(Counter.OPS_FAILED), "the one behind it has to go too");
        assertEquals(1, runtime.counters().get(Counter.OPS_EXPIRED));
        ProxyException failure = runtime.asyncResult().failure();
        assertEquals(ProxyResult.TIMEOUT, failure.result());
        assertTrue(failure.getMessage().contains("op 2") && failure.getMessage().contains("peer 1, channel 5, steps "
                + "posted 0 received 0 transmitted 0 done 0 of 1"), failure.getMessage());
        passTime(8);
        assertEquals(2, runtime.counters().get(Counter.OPS_FAILED));
        passTime(2);
        assertEquals(3, runtime.counters().get(Counter.OPS_FAILED));
        assertEquals(2, runtime.counters().get(Counter.OPS_EXPIRED));
        passTime(100_000);
        assertEquals(1, poster.outstanding(), "the one without a deadline");
        audit();
    }

    @Test
    void shouldDropAnOpThatExpiresBehindAnother() {
        ProxyConnection connection = connected(1);
        append(connection, 2);
        append(connection, 4).timeoutMs(10);
        append(connection, 6);
        poster.post();
        agent.doWork();
        passTime(11);
        assertEquals(0, poster.outstanding(), "they share a connection");
        assertTrue(agent.isDrained());
        assertNull(connection.appendQueue().tail);
    }

    @Test
    void shouldCancelAnOpWithThoseBehindItOnItsConnection() {
        List<ProxyConnection> connections = sharing(2);
        ProxyConnection first = connections.get(0);
        ProxyConnection second = connections.get(1);
        post(first, 3, 5);
        post(second, 7);
        agent.doWork();
        assertEquals(0, cancel(first.id(), 4));
        assertEquals(0, cancel(0x7777, 3));
        assertEquals(2, cancel(first.id(), 3));
        assertEquals(1, runtime.counters().get(Counter.OPS_CANCELLED));
        assertEquals(2, runtime.counters().get(Counter.OPS_FAILED));
        assertTrue(first.failure().getMessage().contains("op 3") && first.failure().getMessage().contains("cancelled"));
        assertNull(second.failure());
        behaviour = this::finish;
        agent.doWork();
        assertEquals(1, runtime.counters().get(Counter.OPS_COMPLETED));
        assertEquals(0, poster.outstanding());
    }

    @Test
    void shouldGoOnWithoutAConnectionThatIsExpendable() {
        ProxyConnection network = connected(1);
        network.expend();
        append(network, 2);
        append(network, 4);
        poster.post();
        behaviour = args -> args.fail(ProxyResult.REMOTE_ERROR, "the switch is gone");
        agent.doWork();
        agent.doWork();
        assertNull(runtime.asyncResult().failure(), "its users can do without");
        assertTrue(network.failure().getMessage().contains("the switch is gone"));
        assertEquals(0, poster.outstanding());
        append(network, 8);
        poster.post();
        agent.doWork();
        assertNull(runtime.asyncResult().failure(), "nor is it the fault of who launched another one meanwhile");
        assertEquals(0, poster.outstanding());
        append(connected(2), 6);
        poster.post();
        agent.doWork();
        agent.doWork();
        assertTrue(runtime.asyncResult().failure().getMessage().contains("op 6"));
        audit();
    }

    @Test
    void shouldFailWithAGroupTheConnectionsOfItsUnfinishedOpsOnly() {
        List<ProxyConnection> all = sharing(3);
        all.forEach(connection -> append(connection, 3));
        poster.post();
        agent.doWork();
        behaviour = args -> {
            args.sub(1).done = args.sub(1).nsteps;
            return args.fail(ProxyResult.REMOTE_ERROR, "cut");
        };
        agent.doWork();
        assertEquals(List.of(false, true, false), all.stream().map(each -> each.failure() == null).toList());
        assertEquals(2, runtime.counters().get(Counter.OPS_FAILED));
        assertEquals(1, runtime.counters().get(Counter.OPS_COMPLETED));
    }

    @Test
    void shouldNameAnOpThatWasFetchedAndForgotten() {
        post(connected(1), 2);
        agent.doWork();
        audit();
        poster.append(77).peer(9).channelId(8);
        poster.post();
        runtime.pool().fetcher().fetch(op -> { }, 1);
        var audit = agent.audit();
        agent.doWork();
        ProxyException leak = assertInstanceOf(ProxyException.class,
                assertThrows(CompletionException.class, audit::join).getCause());
        assertTrue(leak.getMessage().contains("op 77 peer 9 channel 8"), leak.getMessage());
    }

    @Test
    void shouldAnswerNoCallAfterItsEnd() {
        var before = agent.dump();
        agent.onClose();
        assertEquals(List.of(), before.join());
        assertTrue(agent.dump().isCompletedExceptionally());
        assertTrue(agent.cancel(1, 1).isCompletedExceptionally());
    }

    @Test
    void shouldDropEverythingOnAbort() {
        ProxyConnection connection = connected(1);
        post(connection, 2, 4);
        agent.doWork();
        agent.abort();
        agent.doWork();
        post(connection, 6);
        agent.doWork();
        assertEquals(0, poster.outstanding());
        assertEquals(3, runtime.counters().get(Counter.OPS_FAILED));
        assertNull(runtime.asyncResult().failure(), "the caller that aborts says why");
    }

    @Test
    void shouldDescribeWhatIsActive() {
        ProxyConnection connection = connected(1);
        post(connection, 2, 4);
        agent.doWork();
        var dump = agent.dump();
        agent.doWork();
        List<String> lines = dump.join();
        assertEquals(2, lines.size());
        assertTrue(lines.get(0).startsWith("op 2") && lines.get(1).startsWith("  behind it: op 4"), lines.toString());
    }

    @Test
    void shouldDescribeAnActiveGroupBesideOneInThePool() {
        post(connected(1), 2);
        post(connected(2), 4);
        behaviour = args -> args.opCount() == 4 ? finish(args) : 0;
        agent.doWork();
        agent.doWork();
        var dump = agent.dump();
        agent.doWork();
        assertEquals(1, dump.join().size());
        assertTrue(dump.join().getFirst().startsWith("op 2 PROGRESS [send peer 1"), dump.join().toString());
    }

    @Test
    void shouldDescribeAGroupThatIsInNoState() {
        ProxyArgs args = ProxyArgs.of(connected(3), 6, 2, 1, 1, 64);
        args.state = ProxyArgs.State.NONE;
        assertTrue(args.toString().startsWith("op 6 NONE [send peer 3"), args.toString());
    }

    @Test
    void shouldAllocateNothingInSteadyState() {
        ScriptedTransport quiet = new ScriptedTransport(this::finish);
        ProxyConnection connection = connected(quiet, 1);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < 20 && allocated > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100_000; i++) {
                append(connection, i);
                poster.post();
                agent.doWork();
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertEquals(0, allocated);
        agent.doWork();
        assertEquals(0, runtime.counters().get(Counter.OPS_FAILED));
    }

    private void passTime(int ms) {
        runtime.nowNs += ms * 1_000_000L;
        for (int pass = 0; pass <= ProgressAgent.TICK_PASSES; pass++) {
            agent.doWork();
        }
    }

    private void audit() {
        var audit = agent.audit();
        agent.doWork();
        audit.join();
    }

    private int cancel(long connection, long opCount) {
        var cancelled = agent.cancel(connection, opCount);
        agent.doWork();
        return cancelled.join();
    }

    private int finish(ProxyArgs args) {
        args.state = ProxyArgs.State.NONE;
        return 1;
    }

    private ProxyConnection connected(int peer) {
        return connected(transport, peer);
    }

    private ProxyConnection connected(ScriptedTransport over, int peer) {
        return runtime.connection(over, Direction.SEND, peer);
    }

    private ProxyOpEncoder append(ProxyConnection connection, long opCount) {
        return poster.append(opCount).connection(connection.id()).peer(connection.peer()).channelId(5).nsteps(1)
                .sliceSteps(1).chunkSteps(1);
    }

    private void post(ProxyConnection connection, long... opCounts) {
        for (long opCount : opCounts) {
            append(connection, opCount);
        }
        poster.post();
    }
}
