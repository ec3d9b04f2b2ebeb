/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.plugin;

import io.proxyrt.core.agent.Uninterruptibly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A platform thread for calls in which a plug-in may block though it must not, as Google's FastSocket does in accept:
 * the service thread goes on, and so do the deadlines that it watches. It ends when there is nothing to do. A network
 * has one to connect and one to accept, so that ranks that accept each other do not wait for their own connects.
 */
public final class SetUpThread {
    private static final long IDLE_S = 1;
    /** Calls that do not block are over long before. */
    private static final Duration PATIENCE = Duration.ofMillis(20);

    private final String name;
    private ThreadPoolExecutor executor;
    /** Whether a call has outlasted the patience. No call is behind another before, as one thread asks for all. */
    private boolean isBlocking;

    /**
     * A thread, which begins with the first call.
     *
     * @param name of it
     */
    public SetUpThread(String name) {
        this.name = name;
        this.executor = executor(name);
    }

    static ThreadPoolExecutor executor(String name) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, IDLE_S, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name(name).factory());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    synchronized void execute(PluginCall call) {
        executor.execute(call);
    }

    /** Whether a call is over. Waits a moment for it, unless the plug-in is known to block. Service thread. */
    boolean isOver(PluginCall call) {
        if (isBlocking || call.isDone()) {
            return call.isDone();
        }
        try {
            Uninterruptibly.get(call, PATIENCE);
            return true;
        } catch (TimeoutException e) {
            isBlocking = true;
            return false;
        } catch (ExecutionException e) {
            return true;
        }
    }

    /**
     * Gives a call up. If it is under way, the thread is left to it, and other calls get a new one.
     *
     * @param cleanup runs when the call has returned, which may be never, or at once if it will not be made
     */
    void abandon(PluginCall call, Runnable cleanup) {
        if (isLeft(call)) {
            call.whenOver(cleanup);
        } else {
            cleanup.run();
        }
    }

    /** Whether a call goes on; the thread may have taken the next one meanwhile, which then stays there. */
    private synchronized boolean isLeft(PluginCall call) {
        if (executor.remove(call) || call.isDone()) {
            return false;
        }
        ThreadPoolExecutor left = executor;
        executor = executor(name);
        List<Runnable> waiting = new ArrayList<>();
        left.getQueue().drainTo(waiting);
        waiting.forEach(executor::execute);
        left.shutdown();
        return true;
    }

    /** Takes nothing more. */
    public synchronized void close() {
        executor.shutdown();
    }
}
