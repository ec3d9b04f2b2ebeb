/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives.gpu;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The process's thread for kernels that are compiled before they are needed. It begins with the first of them, ends
 * when there is nothing to do, and begins no task while another thread compiles what it needs, nor right after that,
 * for the next one may be needed, too: a compiler takes a CPU, and some take turns. The JVM does not wait for it, but a
 * process that exits takes down what a compiler's library has, also while that compiles: so the exit drops what is
 * queued, and waits for what is under way. Any thread.
 */
final class CompileThread {
    /** Tasks that wait, at most. */
    static final int CAPACITY = 128;

    private static final CompileThread OF_PROCESS = new CompileThread(Duration.ofMillis(200),
            Runtime.getRuntime()::addShutdownHook);
    private static final long IDLE_S = 1;
    /** Compilers take one to three seconds, and longer where CPUs are busy. */
    private static final Duration EXIT_PATIENCE = Duration.ofSeconds(10);
    private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(1);

    private final ThreadPoolExecutor executor;
    private final long quietNs;
    private final Consumer<Thread> atExit;
    private boolean isHooked;
    private boolean isEnding;
    /** Threads that compile what they need. */
    private int urgent;
    private long lastNs;

    /**
     * One.
     *
     * @param quiet  for how long nothing is asked for or needed before a task begins
     * @param atExit has a thread run when the process exits
     */
    CompileThread(Duration quiet, Consumer<Thread> atExit) {
        this.quietNs = quiet.toNanos();
        this.atExit = atExit;
        // The priority counts where the JVM heeds it.
        executor = new ThreadPoolExecutor(1, 1, IDLE_S, TimeUnit.SECONDS, new ArrayBlockingQueue<>(CAPACITY),
                Thread.ofPlatform().daemon().priority(Thread.MIN_PRIORITY).name("proxyrt-kernels").factory());
        executor.allowCoreThreadTimeOut(true);
    }

    static CompileThread ofProcess() {
        return OF_PROCESS;
    }

    /** Has a task run, if there is room, and the process does not exit; else false. Returns at once. */
    synchronized boolean offer(Runnable task) {
        try {
            hook();
            changed(0);
            executor.execute(() -> {
                if (isQuiet()) {
                    task.run();
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void hook() {
        if (isHooked) {
            return;
        }
        isHooked = true;
        try {
            atExit.accept(Thread.ofPlatform().name("proxyrt-kernels-end").unstarted(() -> end(EXIT_PATIENCE)));
        } catch (IllegalStateException e) {
            // It exits already.
            end(Duration.ZERO);
        }
    }

    /** Runs what the calling thread needs at once. */
    void runUrgent(Runnable task) {
        changed(1);
        try {
            task.run();
        } finally {
            changed(-1);
        }
    }

    private synchronized void changed(int more) {
        urgent += more;
        lastNs = System.nanoTime();
        notifyAll();
    }

    /** Waits until nothing is urgent any more; false if the process exits before. */
    private synchronized boolean isQuiet() {
        try {
            while (!isEnding) {
                long leftNs = urgent > 0 ? LOOK_NS : lastNs + quietNs - System.nanoTime();
                if (leftNs <= 0) {
                    return true;
                }
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    /**
     * Takes nothing more, drops what is queued, and waits for the task under way, which is not interrupted. Returns
     * false if that goes on.
     */
    boolean end(Duration patience) {
        synchronized (this) {
            isEnding = true;
            notifyAll();
        }
        executor.shutdown();
        try {
            return executor.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return executor.isTerminated();
        }
    }
}
