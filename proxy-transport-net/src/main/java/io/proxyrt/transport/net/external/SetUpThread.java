/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.external;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A platform thread for calls in which a plug-in may block though it must not, as Google's FastSocket does in accept:
 * the service thread goes on, and so do the deadlines that it watches. It ends when there is nothing to do. A network
 * has one to connect and one to accept, so that ranks that accept each other do not wait for their own connects.
 */
final class SetUpThread {
    private static final long IDLE_S = 1;

    private final String name;
    private ThreadPoolExecutor executor;

    SetUpThread(String name) {
        this.name = name;
        this.executor = executor(name);
    }

    private static ThreadPoolExecutor executor(String name) {
        ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, IDLE_S, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name(name).factory());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    synchronized void execute(FutureTask<Long> call) {
        executor.execute(call);
    }

    /**
     * Gives a call up. If it is under way, the thread is left to it, and other calls get a new one.
     *
     * @param cleanup runs when the call has returned, or will not be made, which may be never
     */
    synchronized void abandon(FutureTask<Long> call, Runnable cleanup) {
        if (executor.remove(call) || call.isDone()) {
            cleanup.run();
            return;
        }
        ThreadPoolExecutor left = executor;
        executor = executor(name);
        List<Runnable> waiting = new ArrayList<>();
        left.getQueue().drainTo(waiting);
        waiting.forEach(executor::execute);
        left.execute(cleanup);
        left.shutdown();
    }

    synchronized void close() {
        executor.shutdown();
    }
}
