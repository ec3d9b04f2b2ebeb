/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import static io.proxyrt.transport.net.socket.SocketChannels.LOG;

import io.proxyrt.core.agent.Uninterruptibly;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A thread that drives some of a comm's data sockets. It spins for a moment when nothing moves, and then sleeps in a
 * selector until a socket is ready, or a message is published.
 */
final class SocketHelper implements AutoCloseable {
    private static final Consumer<SelectionKey> IGNORE = key -> { };
    private static final int SPINS = 32;
    private static final long LONGEST_SLEEP_MS = 500;
    private static final long REPAIR_SLEEP_MS = 1;
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final SocketStream[] streams;
    private final SocketMessages messages;
    private final SocketReadiness readiness;
    private final Selector selector;
    private final Thread thread;
    private volatile boolean isStopped;
    private volatile boolean isAsleep;
    private volatile Exception failure;

    /** Starts a thread of this name over the streams; readiness is told when a message is through. */
    SocketHelper(String name, SocketStream[] streams, SocketMessages messages, SocketReadiness readiness)
            throws IOException {
        this.streams = streams;
        this.messages = messages;
        this.readiness = readiness;
        this.selector = Selector.open();
        this.thread = Thread.ofPlatform().name(name).daemon().unstarted(this::run);
        try {
            thread.start();
        } catch (RuntimeException | Error e) {
            SocketChannels.close(selector);
            throw e;
        }
    }

    /** Has it look for new messages, after one was published. Costs a fence as long as it is awake. */
    void wake() {
        // Store published, load isAsleep; sleep() stores isAsleep and loads published: one sees the other.
        VarHandle.fullFence();
        if (isAsleep) {
            selector.wakeup();
        }
    }

    /** Why it gave up; null as long as it has not. */
    Exception failure() {
        return failure;
    }

    /** Has it look at all of its sockets, though nothing was published. */
    void nudge() {
        selector.wakeup();
    }

    /** Tells the thread to end. */
    void stop() {
        isStopped = true;
        selector.wakeup();
    }

    /** Ends the thread. Returns when it has ended, or is not going to. */
    @Override
    public void close() {
        stop();
        if (!Uninterruptibly.join(thread, CLOSE_TIMEOUT)) {
            LOG.warn("{} did not end within {}", thread.getName(), CLOSE_TIMEOUT);
        }
    }

    private void run() {
        try {
            int spins = 0;
            while (!isStopped) {
                long seen = messages.published();
                if (drive()) {
                    spins = 0;
                } else if (spins++ < SPINS) {
                    Thread.onSpinWait();
                } else {
                    sleep(seen);
                    spins = 0;
                }
            }
        } catch (IOException | RuntimeException e) {
            failure = e;
            readiness.wake();
        } finally {
            SocketChannels.close(selector);
        }
    }

    private boolean drive() throws IOException {
        boolean isMoving = false;
        for (SocketStream stream : streams) {
            long done = stream.done();
            isMoving |= stream.drive();
            if (stream.done() != done) {
                readiness.wake();
                isMoving = true;
            }
        }
        return isMoving;
    }

    private void sleep(long seen) throws IOException {
        isAsleep = true;
        VarHandle.fullFence();
        if (!isStopped && messages.published() == seen) {
            boolean isUnderRepair = false;
            for (SocketStream stream : streams) {
                stream.awaitOn(selector, true, this);
                isUnderRepair |= stream.isUnderRepair();
            }
            selector.select(IGNORE, isUnderRepair ? REPAIR_SLEEP_MS : LONGEST_SLEEP_MS);
        }
        isAsleep = false;
    }
}
