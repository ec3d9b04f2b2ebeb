/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs one agent on a daemon thread of its own: work, idle, and again. A failure that reaches the loop is a bug; it
 * ends the agent and is handed on, never swallowed.
 */
public final class AgentRunner {
    private final Agent agent;
    private final BackoffIdle idle;
    private final Consumer<Throwable> onBug;
    private final Thread thread;
    private volatile BooleanSupplier isDrained;

    /**
     * A runner that is not started.
     *
     * @param agent what to run
     * @param idle  what to do meanwhile; this runner's own
     * @param onBug gets what escapes from the agent
     */
    public AgentRunner(Agent agent, BackoffIdle idle, Consumer<Throwable> onBug) {
        this.agent = agent;
        this.idle = idle;
        this.onBug = onBug;
        this.thread = Thread.ofPlatform().daemon().name(agent.name()).unstarted(this::run);
    }

    /** Starts the thread; once. */
    public void start() {
        thread.start();
    }

    /** Ends a park. Any thread. */
    public void wakeup() {
        agent.wakeup(thread);
    }

    /**
     * Asks the loop to end. Any thread; does not block.
     *
     * @param isDrained evaluated on the agent's thread after a pass: it ends as soon as this is true
     */
    public void stop(BooleanSupplier isDrained) {
        this.isDrained = isDrained;
        wakeup();
    }

    /**
     * Waits for the thread to end.
     *
     * @param timeout at most so long
     * @return false if it still runs
     */
    public boolean join(Duration timeout) {
        try {
            return thread.join(timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    /**
     * Whether the calling thread is the one that runs the agent.
     *
     * @return true on that thread
     */
    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    @Override
    public String toString() {
        return "thread " + thread.getName();
    }

    private void run() {
        try {
            while (isDrained == null || !isDrained.getAsBoolean()) {
                idle.idle(agent.doWork(), agent);
            }
        } catch (Throwable t) {
            onBug.accept(t);
        } finally {
            close();
        }
    }

    private void close() {
        try {
            agent.onClose();
        } catch (Throwable t) {
            onBug.accept(t);
        }
    }
}
