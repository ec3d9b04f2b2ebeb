/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.agent.thread;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.agent.IdleStrategy;
import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs one agent on a daemon thread of its own: set-up, then work, idle, and again. A failure that reaches the loop is
 * a bug; it ends the agent and is handed on, never swallowed.
 */
public final class AgentRunner {
    private static final long SET_UP_TIMEOUT_S = 10;

    private final Agent agent;
    private final ThreadSetup setup;
    private final ThreadSetup.Duty duty;
    private final CompletableFuture<String> outcome = new CompletableFuture<>();
    private final IdleStrategy idle;
    private final Consumer<Throwable> onBug;
    private final Thread thread;
    private volatile BooleanSupplier isDrained;

    /**
     * A runner that is not started.
     *
     * @param agent what to run
     * @param setup what the thread does first
     * @param duty  as what it does that
     * @param idle  what to do meanwhile; this runner's own
     * @param onBug gets what escapes from the agent
     */
    public AgentRunner(Agent agent, ThreadSetup setup, ThreadSetup.Duty duty, IdleStrategy idle,
            Consumer<Throwable> onBug) {
        this.agent = agent;
        this.setup = setup;
        this.duty = duty;
        this.idle = idle;
        this.onBug = onBug;
        this.thread = Thread.ofPlatform().daemon().name(agent.name()).unstarted(this::run);
    }

    /** Starts the thread; once. */
    public void start() {
        thread.start();
    }

    /**
     * Waits until the started thread is set up, for ten seconds at most. Any thread.
     *
     * @return what came of it
     * @throws ProxyException the set-up's, after which the thread ends; {@link ProxyResult#TIMEOUT} if there is no
     *                        outcome yet; {@link ProxyResult#INVALID_USAGE} if the caller is interrupted
     */
    public String awaitSetUp() {
        try {
            return outcome.get(SET_UP_TIMEOUT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ProxyException failure ? failure
                    : new ProxyException(ProxyResult.INTERNAL_ERROR, this + " died of " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new ProxyException(ProxyResult.TIMEOUT, this + " is not set up after " + SET_UP_TIMEOUT_S + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProxyException(ProxyResult.INVALID_USAGE, "interrupted while " + this + " is set up", e);
        }
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
     * Waits for the thread to end, whether the caller is interrupted or not. If it was never started, for the system
     * had no more, the agent is closed here.
     *
     * @param timeout at most so long
     * @return false if it still runs
     */
    public boolean join(Duration timeout) {
        if (thread.getState() == Thread.State.NEW) {
            close();
            return true;
        }
        return Uninterruptibly.join(thread, timeout);
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
            boolean isRunning = isSetUp();
            while (isRunning && (isDrained == null || !isDrained.getAsBoolean())) {
                idle.idle(agent.doWork(), agent);
            }
        } catch (Throwable t) {
            outcome.completeExceptionally(t);
            onBug.accept(t);
        } finally {
            close();
        }
    }

    /** A refusal is no bug, but an answer to the caller that starts the thread. */
    private boolean isSetUp() {
        try {
            return outcome.complete(setup.apply(agent.name(), duty));
        } catch (ProxyException e) {
            outcome.completeExceptionally(e);
            return false;
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
