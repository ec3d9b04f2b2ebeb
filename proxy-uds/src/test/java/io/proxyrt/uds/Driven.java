/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;

/** An endpoint with a thread of its own, which closes it. */
final class Driven implements AutoCloseable {
    private final UdsService service;
    private final Thread thread;
    private volatile boolean isStopped;

    Driven(UdsService service) {
        this.service = service;
        this.thread = Thread.ofPlatform().daemon().start(this::run);
    }

    private void run() {
        while (!isStopped) {
            if (service.doWork() == 0) {
                service.park(TimeUnit.SECONDS.toNanos(1));
            }
        }
        service.onClose();
    }

    @Override
    public void close() {
        isStopped = true;
        service.wakeup(thread);
        try {
            assertTrue(thread.join(Rig.PATIENCE), "the agent's thread ends");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
