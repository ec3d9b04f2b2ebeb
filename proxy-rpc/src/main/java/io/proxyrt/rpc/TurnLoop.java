/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * An event loop that threads take turns to drive. Netty's {@code ManualIoEventLoop} belongs to one thread for good,
 * while an agent is opened by one thread, run by another, and in INVOKER mode run by the caller that waits; so this one
 * belongs to the thread that turns it, and says so if two try at once. A turn happens-before the next one.
 *
 * <p>Between turns the loop still counts the last driver as inside, which lets the service thread answer a call outside
 * of a turn without a detour; what may run on any thread goes through {@link #execute(Runnable)} and nothing else.
 */
final class TurnLoop extends AbstractScheduledEventExecutor implements IoEventLoop {
    private static final int MAX_TASKS = 256;
    /** The selector counts in milliseconds. Up to this a wait is a nap that only a wake-up ends. */
    private static final long LONGEST_NAP_NS = 250_000;
    private static final long SHORTEST_SELECT_NS = 1_000_000;
    private static final int OPEN = 0;
    private static final int CLOSING = 1;
    private static final int CLOSED = 2;

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Thread> turner = new AtomicReference<>();
    private final Polling polling = new Polling();
    private final Promise<Void> terminated = newPromise();
    private final KeptSelector selectors = new KeptSelector();
    private final IoHandler handler;
    private final boolean isKeySetReplaced;
    private volatile Thread driver;
    private volatile Thread parked;
    private volatile boolean isSignalled;
    private volatile int state = OPEN;
    /** A task came from outside since the last turn ended. */
    private volatile boolean isAsked;
    private int work;

    TurnLoop() {
        this.handler = NioIoHandler.newFactory(selectors).newHandler(this);
        this.isKeySetReplaced = selectors.isKeySetReplaced();
    }

    /**
     * Does what is ready: I/O, then tasks. Bounded; does not block.
     *
     * @return how much of it was {@linkplain #worked() work}
     */
    int turn() {
        enter();
        try {
            if (state == OPEN) {
                handler.run(polling);
                runTasks(MAX_TASKS);
            }
            return takeWork();
        } finally {
            turner.set(null);
        }
    }

    /** Does what other threads asked for, without a look at the sockets. Bounded; does not block. */
    void runPending() {
        enter();
        try {
            if (state == OPEN) {
                runTasks(MAX_TASKS);
            }
        } finally {
            turner.set(null);
        }
    }

    /**
     * Waits until something is ready, or {@link #wakeup()}, or the time has passed; then does it.
     *
     * @return how much of it was {@linkplain #worked() work}
     */
    int park(long maxNs) {
        enter();
        try {
            parked = Thread.currentThread();
            if (state == OPEN) {
                await(maxNs);
                runTasks(MAX_TASKS);
            }
            return takeWork();
        } finally {
            parked = null;
            isSignalled = false;
            turner.set(null);
        }
    }

    /** Ends a park, or the next one if no thread is parked. Any thread. */
    void wakeup() {
        isSignalled = true;
        rouse();
    }

    /** Closes every channel, runs what that leaves to do, and gives the selector back. Bounded; idempotent. */
    @Override
    public void close() {
        enter();
        try {
            if (state != OPEN) {
                return;
            }
            state = CLOSING;
            runTasks(Integer.MAX_VALUE);
            handler.prepareToDestroy();
            runTasks(Integer.MAX_VALUE);
            cancelScheduledTasks();
            state = CLOSED;
            handler.destroy();
            terminated.trySuccess(null);
        } finally {
            turner.set(null);
        }
    }

    private void await(long maxNs) {
        if (mayBlock()) {
            if (maxNs <= LONGEST_NAP_NS) {
                LockSupport.parkNanos(this, maxNs);
            } else if (isKeySetReplaced && handler.run(polling) > 0) {
                // Netty's own key set, which it only has where Unsafe is allowed, must be empty before a wait.
                return;
            } else {
                select(Math.max(maxNs, SHORTEST_SELECT_NS));
            }
        }
        handler.run(polling);
    }

    /**
     * Something was done that a peer or this runtime asked for. What unauthenticated peers send is no work: they must
     * not be able to keep a thread awake that looks for more as long as there is work. Within a turn only.
     */
    void worked() {
        work++;
    }

    private int takeWork() {
        int done = work + (isAsked ? 1 : 0);
        isAsked = false;
        work = 0;
        return done;
    }

    private void select(long maxNs) {
        long delayNs = Math.min(maxNs, delayNanos(System.nanoTime(), maxNs));
        long delayMs = (delayNs + SHORTEST_SELECT_NS / 2) / SHORTEST_SELECT_NS;
        if (delayMs > 0) {
            try {
                selectors.selector().select(delayMs);
            } catch (IOException e) {
                throw new ProxyException(ProxyResult.SYSTEM_ERROR, "cannot wait for the service's sockets: " + e, e);
            }
        }
    }

    private boolean mayBlock() {
        return !isSignalled && tasks.isEmpty() && !hasScheduledTasks();
    }

    private int runTasks(int max) {
        fetchFromScheduledTaskQueue(tasks);
        int count = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            safeExecute(task);
            if (++count == max) {
                break;
            }
        }
        return count;
    }

    private void enter() {
        Thread current = Thread.currentThread();
        Thread other = turner.compareAndExchange(null, current);
        if (other != null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, other == current
                    ? "the service cannot be driven from within one of its own callbacks; return from it first"
                    : "thread " + current.getName() + " drives the service while thread " + other.getName()
                            + " does; they may do so in turn only");
        }
        if (driver != current) {
            driver = current;
        }
    }

    private void rouse() {
        // Pairs with park(), which says that it parks and then looks for reasons not to: one of the two sees the other.
        Thread sleeper = parked;
        if (sleeper != null && sleeper != Thread.currentThread()) {
            selectors.selector().wakeup();
            LockSupport.unpark(sleeper);
        }
    }

    @Override
    public void execute(Runnable task) {
        if (state == CLOSED || state == CLOSING && turner.get() != Thread.currentThread()) {
            throw new RejectedExecutionException("the service is closed");
        }
        tasks.add(task);
        if (!inEventLoop()) {
            isAsked = true;
        }
        rouse();
    }

    @Override
    public boolean inEventLoop(Thread thread) {
        return driver == thread;
    }

    @Override
    public IoEventLoop next() {
        return this;
    }

    @Override
    public EventLoopGroup parent() {
        return null;
    }

    @SuppressWarnings("deprecation")
    @Override
    public ChannelFuture register(Channel channel) {
        return register(channel, new DefaultChannelPromise(channel, this));
    }

    @SuppressWarnings("deprecation")
    @Override
    public ChannelFuture register(ChannelPromise promise) {
        return register(promise.channel(), promise);
    }

    @SuppressWarnings("deprecation")
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    @Override
    public Future<IoRegistration> register(IoHandle handle) {
        Promise<IoRegistration> promise = newPromise();
        if (inEventLoop()) {
            register(handle, promise);
        } else {
            execute(() -> register(handle, promise));
        }
        return promise;
    }

    private void register(IoHandle handle, Promise<IoRegistration> promise) {
        try {
            promise.setSuccess(handler.register(handle));
        } catch (Exception e) {
            promise.setFailure(e);
        }
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return handler.isCompatible(handleType);
    }

    @Override
    public boolean isIoType(Class<? extends IoHandler> handlerType) {
        return handler.getClass() == handlerType;
    }

    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException("closed by its endpoint only");
    }

    @SuppressWarnings("deprecation")
    @Override
    public void shutdown() {
        throw new UnsupportedOperationException("closed by its endpoint only");
    }

    @Override
    public Future<?> terminationFuture() {
        return terminated;
    }

    @Override
    public boolean isShuttingDown() {
        return state != OPEN;
    }

    @Override
    public boolean isShutdown() {
        return state == CLOSED;
    }

    @Override
    public boolean isTerminated() {
        return state == CLOSED;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return terminated.await(timeout, unit);
    }

    /** A turn that looks and goes on. */
    private static final class Polling implements IoHandlerContext {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    }
}
