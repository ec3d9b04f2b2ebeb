/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.TestRuntime;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.agent.thread.AgentRunner;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.platform.Platform;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A progress thread that parks for longer than a test may last, whenever it has nothing to do. */
class ParkedProgressAgentTest {
    private static final long PARK_NS = TimeUnit.MINUTES.toNanos(10);
    private static final long SECONDS = 20;

    @TempDir
    Path directory;

    private TestRuntime runtime;
    private OpsPoster poster;
    private ProgressAgent agent;
    private AgentRunner runner;
    private ProxyConnection connection;
    private volatile int done;

    @BeforeEach
    void start() {
        runtime = new TestRuntime(directory);
        agent = runtime.progress();
        poster = runtime.pool().poster();
        connection = runtime.connection(new ScriptedTransport(args -> {
            args.state = done == 0 ? ProxyArgs.State.PROGRESS : ProxyArgs.State.NONE;
            return done;
        }), Direction.SEND, 1);
        ThreadSetup setup = ThreadSetup.of(Platform.find(), runtime.config(), 0);
        runner = new AgentRunner(agent, setup, ThreadSetup.Duty.PROGRESS, new Parking(), bug -> { });
        runner.start();
        awaitParked();
    }

    @AfterEach
    void stop() {
        runner.stop(() -> true);
        assertTrue(runner.join(Duration.ofSeconds(SECONDS)));
        runtime.pool().audit();
        runtime.close();
    }

    @Test
    void shouldWakeForAnOpEachTimeItParks() {
        done = 1;
        for (int i = 0; i < 50; i++) {
            awaitParked();
            post(i);
            awaitNoneOutstanding();
        }
        assertEquals(50, runtime.counters().get(Counter.OPS_COMPLETED));
    }

    @Test
    void shouldAnswerAtOnce() throws Exception {
        assertEquals(List.of(), agent.dump().get(SECONDS, TimeUnit.SECONDS));
        awaitParked();
        agent.audit().get(SECONDS, TimeUnit.SECONDS);
        awaitParked();
        assertEquals(0, agent.cancel(connection.id(), 1).get(SECONDS, TimeUnit.SECONDS));
    }

    @Test
    void shouldSeeAnAbortAtOnce() {
        agent.abort();
        post(1);
        awaitNoneOutstanding();
        assertEquals(1, runtime.counters().get(Counter.OPS_FAILED));
    }

    @Test
    void shouldDropWhatIsActiveOnAbort() {
        post(1);
        post(2);
        agent.abort();
        awaitNoneOutstanding();
        assertEquals(0, runtime.counters().get(Counter.OPS_COMPLETED));
    }

    @Test
    void shouldFinishWhatIsActiveOnStop() {
        post(1);
        post(2);
        runner.stop(agent::isDrained);
        done = 1;
        assertTrue(runner.join(Duration.ofSeconds(SECONDS)));
        assertEquals(0, poster.outstanding());
        assertEquals(2, runtime.counters().get(Counter.OPS_COMPLETED));
    }

    @Test
    void shouldLetGoOfAConnectionAtOnce() {
        agent.detach(List.of(connection), new ProxyException(ProxyResult.REMOTE_ERROR, "peer left"));
        await(connection::isDetached);
    }

    private void post(long opCount) {
        poster.append(opCount).connection(connection.id()).nsteps(1).sliceSteps(1).chunkSteps(1);
        poster.post();
    }

    private void awaitNoneOutstanding() {
        await(() -> poster.outstanding() == 0);
    }

    private void awaitParked() {
        await(() -> Thread.getAllStackTraces().entrySet().stream().anyMatch(thread ->
                thread.getKey().getName().equals(agent.name()) && List.of(thread.getValue()).toString().contains(
                        "OpsFetcher.sleep")));
    }

    private static void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, "not within " + SECONDS + " s");
            Thread.onSpinWait();
        }
    }

    /** Parks unless the agent has something to poll. */
    private static final class Parking implements IdleStrategy {
        @Override
        public void idle(int workCount, Agent agent) {
            if (workCount == 0 && agent.isWoken()) {
                agent.park(PARK_NS);
            }
        }

        @Override
        public void reset() {
            // has no memory
        }
    }
}
