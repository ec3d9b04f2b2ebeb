/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.platform.Platform;
import io.proxyrt.core.platform.Poller;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * Sleeps where another thread cannot, in the sockets that it serves, and wakes it; touches nothing. A thread can sleep
 * in one place only, and one that is shared sleeps in the service's selector.
 */
final class ReadinessWatch implements AutoCloseable {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final long LONGEST_NS = TimeUnit.HOURS.toNanos(1);
    /** What is ready stays so until it is served. */
    private static final long AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final Platform platform;
    private final Poller poller;
    private final Runnable sleeper;
    private final Thread thread;
    private volatile boolean isClosed;

    private ReadinessWatch(String name, Platform platform, Poller poller, Runnable sleeper) {
        this.platform = platform;
        this.poller = poller;
        this.sleeper = sleeper;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    static ReadinessWatch start(String name, Platform platform, Poller poller, Runnable sleeper) {
        ReadinessWatch watch = new ReadinessWatch(name, platform, poller, sleeper);
        watch.thread.start();
        return watch;
    }

    private void run() {
        while (!isClosed) {
            if (platform.await(poller.number(), false, LONGEST_NS) && !isClosed) {
                sleeper.run();
                LockSupport.parkNanos(this, AGAIN_NS);
            }
        }
    }

    /** Before the poller's own end, for this waits for the poller's descriptor. Idempotent. */
    @Override
    public void close() {
        isClosed = true;
        poller.wakeup();
        boolean isInterrupted = Thread.interrupted();
        try {
            if (!thread.join(CLOSE_TIMEOUT)) {
                LOGGER.warn("{} did not end within {}", thread.getName(), CLOSE_TIMEOUT);
            }
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
