/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.BackoffIdle;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AgentRunnerTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final ProxyConfig config = ProxyConfig.builder().environment(Map.of()).build();
    private final AtomicInteger closed = new AtomicInteger();
    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private AgentRunner runner() {
        Agent agent = new Agent() {
            @Override
            public String name() {
                return "agent";
            }

            @Override
            public int doWork() {
                return 0;
            }

            @Override
            public void onClose() {
                Uninterruptibly.run(this::await);
                closed.incrementAndGet();
            }

            private void await() {
                try {
                    mayEnd.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        };
        return new AgentRunner(agent, ThreadSetup.of(Platform.find(), config, 0), ThreadSetup.Duty.CONTROL,
                new BackoffIdle(config), bug -> {
                    throw new AssertionError(bug);
                });
    }

    /** The system may have no more threads; what the agent holds is given back all the same. */
    @Test
    void shouldCloseAnAgentThatNoThreadEverRan() {
        mayEnd.countDown();
        AgentRunner runner = runner();
        runner.stop(() -> true);
        assertTrue(runner.join(Duration.ZERO));
        assertEquals(1, closed.get());
    }

    @Test
    void shouldWaitForTheThreadThoughTheCallerIsInterrupted() throws InterruptedException {
        AgentRunner runner = runner();
        runner.start();
        runner.stop(() -> true);
        CountDownLatch isWaiting = new CountDownLatch(1);
        AtomicInteger seen = new AtomicInteger();
        Thread caller = Thread.ofPlatform().start(() -> {
            Thread.currentThread().interrupt();
            isWaiting.countDown();
            assertTrue(runner.join(LONG));
            seen.set(Thread.currentThread().isInterrupted() ? closed.get() : -1);
        });
        isWaiting.await();
        caller.interrupt();
        mayEnd.countDown();
        caller.join();
        assertEquals(1, seen.get());
    }
}
