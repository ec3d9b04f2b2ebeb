/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** What an agent's thread does: work, and park as soon as there is none. */
final class ServiceThread {
    private static final long LONG_NS = TimeUnit.MINUTES.toNanos(2);

    private final RpcEndpoint endpoint;
    private final Thread thread = Thread.ofPlatform().daemon().unstarted(this::run);
    private volatile boolean isStopping;
    private volatile Throwable thrown;
    private volatile int turns;

    ServiceThread(RpcEndpoint endpoint) {
        this.endpoint = endpoint;
        thread.start();
    }

    private void run() {
        try {
            while (!isStopping) {
                turns = turns + 1;
                if (endpoint.doWork() == 0) {
                    endpoint.park(LONG_NS);
                }
            }
            endpoint.onClose();
        } catch (Throwable t) {
            thrown = t;
        }
    }

    void stop() throws InterruptedException {
        isStopping = true;
        endpoint.wakeup(thread);
        thread.join(10_000);
        assertFalse(thread.isAlive(), "the wake-up was lost");
        assertSame(null, thrown);
        assertEquals(0, endpoint.memory().usedHeapMemory());
    }

    /** Waits until the thread sits in the selector. */
    int turnsOnceParked() {
        while (!parkedInSelector()) {
            Thread.onSpinWait();
        }
        return turns;
    }

    private boolean parkedInSelector() {
        return thread.getState() == Thread.State.RUNNABLE && List.of(thread.getStackTrace()).stream()
                .anyMatch(frame -> frame.getMethodName().equals("wait") && frame.isNativeMethod());
    }

    RpcEndpoint endpoint() {
        return endpoint;
    }

    Thread thread() {
        return thread;
    }

    int turns() {
        return turns;
    }
}
