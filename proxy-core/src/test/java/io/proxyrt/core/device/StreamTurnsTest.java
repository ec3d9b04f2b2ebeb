/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.thread.AgentRunner;
import io.proxyrt.core.agent.thread.ThreadSetup;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class StreamTurnsTest {
    private long nowNs;
    private final HostStream stream = new HostStream("stream");
    private final StreamTurns turns = new StreamTurns(stream, () -> nowNs);
    private final Passes kernel = new Passes();

    @Test
    void shouldLeaveKernelsToWhoWaitsForThem() {
        launch(3);
        assertTrue(turns.doWork() > 0);

        turns.claim();
        assertEquals(0, turns.doWork());
        assertTrue(turns.drive() > 0);
        assertEquals(1, stream.outstanding());

        turns.release();
        assertTrue(turns.doWork() > 0);
        assertEquals(0, stream.outstanding());
    }

    @Test
    void shouldLetOneThreadAtATimeRunIt() {
        kernel.during = () -> {
            assertEquals(0, turns.doWork());
            assertEquals(0, turns.drive());
        };
        launch(2);
        assertTrue(turns.doWork() > 0);
        assertTrue(turns.drive() > 0);
    }

    @Test
    void shouldBeOnCallAfterPromptWaits() {
        for (int i = 0; i < StreamTurns.PROMPT_WAITS; i++) {
            assertFalse(turns.isOnCall());
            await(StreamTurns.PROMPT_NS - 1);
        }
        assertTrue(turns.isOnCall());
    }

    @Test
    void shouldBeginAnewWithALateWait() {
        for (int i = 1; i < StreamTurns.PROMPT_WAITS; i++) {
            await(0);
        }
        await(StreamTurns.PROMPT_NS);
        for (int i = 1; i < StreamTurns.PROMPT_WAITS; i++) {
            await(0);
        }
        assertFalse(turns.isOnCall());
        await(0);
        assertTrue(turns.isOnCall());
    }

    @Test
    void shouldLearnNothingFromWaitsWithoutALaunch() {
        for (int i = 0; i < StreamTurns.PROMPT_WAITS; i++) {
            turns.claim();
            turns.release();
        }
        assertFalse(turns.isOnCall());
    }

    @Test
    void shouldBeOnCallUntilAKernelIsLeftToIt() {
        putOnCall();
        launch(3);
        turns.launched();
        turns.claim();
        assertEquals(0, turns.doWork());
        assertTrue(turns.isOnCall());

        turns.release();
        assertTrue(turns.doWork() > 0);
        assertFalse(turns.isOnCall());
    }

    /** As no other thread is there to do so. */
    @Test
    void shouldBeginAKernelWhenItIsLaunchedOnCall() {
        launch(2);
        turns.launched();
        assertEquals(2, kernel.left);
        turns.doWork();
        turns.doWork();

        putOnCall();
        launch(2);
        turns.launched();
        assertEquals(1, kernel.left);
    }

    @Test
    void shouldSayThatNothingWakesItBesideAClaim() {
        assertTrue(turns.isWoken());
        turns.claim();
        assertFalse(turns.isWoken());
        turns.release();
        assertTrue(turns.isWoken());
        launch(1);
        assertFalse(turns.isWoken());
    }

    /** One lost wake-up, and this hangs. */
    @Test
    void shouldWakeItsThreadForWhatAWaitLeaves() {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.IDLE_SPINS, 0)
                .set(CoreOptions.IDLE_YIELDS, 0).build();
        ConcurrentLinkedQueue<Throwable> bugs = new ConcurrentLinkedQueue<>();
        AgentRunner runner = new AgentRunner(new LongPark(turns), ThreadSetup.of(Platform.find(), config, 0),
                ThreadSetup.Duty.STREAM, new BackoffIdle(config), bugs::add);
        runner.start();
        for (int i = 0; i < 10_000; i++) {
            launch(3);
            turns.claim();
            turns.drive();
            turns.release();
            while (stream.outstanding() > 0) {
                Thread.onSpinWait();
            }
        }
        runner.stop(() -> true);
        assertTrue(runner.join(Duration.ofMinutes(2)));
        assertTrue(bugs.isEmpty(), bugs::toString);
    }

    @Test
    void shouldDropWhatIsLeftWhenItsThreadEnds() {
        launch(3);
        turns.claim();
        turns.drive();
        turns.onClose();
        assertEquals(0, stream.outstanding());
        launch(1);
        turns.drive();
        assertEquals(0, stream.outstanding());
    }

    private void putOnCall() {
        for (int i = 0; i < StreamTurns.PROMPT_WAITS; i++) {
            await(0);
        }
        assertTrue(turns.isOnCall());
    }

    private void await(long afterNs) {
        launch(1);
        turns.launched();
        nowNs += afterNs;
        turns.claim();
        turns.drive();
        turns.release();
        assertEquals(0, stream.outstanding());
    }

    private void launch(int passes) {
        kernel.left = passes;
        assertTrue(stream.launch(kernel));
    }

    private static final class Passes implements HostKernel {
        private int left;
        private Runnable during = () -> { };

        @Override
        public int doWork() {
            left--;
            during.run();
            return 1;
        }

        @Override
        public boolean isDone() {
            return left == 0;
        }

        @Override
        public void onRetired(boolean isDropped) {
        }

        @Override
        public String toString() {
            return "kernel with " + left + " passes left";
        }
    }
}
