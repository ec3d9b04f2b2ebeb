/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Lets a thread that has nothing to do sleep until one of the network's sockets can move, or a helper thread has moved
 * something. Comms join and leave from any thread; one thread at a time parks. Parking allocates nothing once all comms
 * are known.
 */
final class SocketReadiness implements AutoCloseable {
    private static final Consumer<SelectionKey> IGNORE = key -> { };
    private static final Consumer<SelectionKey> MARK = key -> ((SocketWaiter) key.attachment()).ready();
    /** From this many waiting comms on, one call to the selector is cheaper than a call for each. */
    private static final int MIN_WAITING = 8;

    private final List<SocketWaiter> waiters = new ArrayList<>();
    private volatile SocketWaiter[] snapshot = {};
    private volatile Selector selector;
    private volatile boolean isAsleep;

    synchronized void add(SocketWaiter waiter) {
        waiters.add(waiter);
        snapshot = waiters.toArray(SocketWaiter[]::new);
    }

    /** Leaves a comm alone from now on, ahead of its being closed. */
    synchronized void leave(SocketWaiter waiter) {
        if (waiters.remove(waiter)) {
            snapshot = waiters.toArray(SocketWaiter[]::new);
        }
    }

    /** Has the selector forget channels that are closed: the system keeps such a socket as long as there is a key. */
    synchronized void forgetClosed() {
        if (selector != null) {
            try {
                selector.wakeup().selectNow();
            } catch (IOException e) {
                SocketChannels.LOG.warn("a closed socket stays with its selector: {}", e.toString());
            }
        }
    }

    /**
     * Finds out with one system call which comms can move, if many wait, so that the next test of another does without.
     * Takes no lock if few do.
     */
    void poll() {
        int waiting = 0;
        for (SocketWaiter waiter : snapshot) {
            waiting += waiter.isWaiting() ? 1 : 0;
        }
        if (waiting >= MIN_WAITING) {
            askAll();
        }
    }

    /** Under the lock, so that no comm is closed meanwhile. */
    private synchronized void askAll() {
        try {
            open();
            for (SocketWaiter waiter : snapshot) {
                waiter.expectNothing(selector);
            }
            selector.selectNow(MARK);
        } catch (IOException e) {
            for (SocketWaiter waiter : snapshot) {
                waiter.ready();
            }
        }
    }

    /** Ends a park, after something was moved by another thread. Costs a fence while no thread is parked. */
    void wake() {
        // Store done, load isAsleep; park stores isAsleep and looks at what is done: one sees the other.
        VarHandle.fullFence();
        if (isAsleep) {
            selector.wakeup();
        }
    }

    void park(long maxNs) {
        try {
            open();
            isAsleep = true;
            VarHandle.fullFence();
            long longestNs = Math.min(maxNs, awaitAll());
            if (longestNs > 0) {
                selector.select(IGNORE, Math.max(1, TimeUnit.NANOSECONDS.toMillis(longestNs)));
            }
        } catch (ClosedChannelException e) {
            // A comm was closed meanwhile: its owner knows, and there is no harm in not having slept.
            LockSupport.parkNanos(1);
        } catch (IOException e) {
            LockSupport.parkNanos(maxNs);
        } finally {
            isAsleep = false;
        }
    }

    @Override
    public void close() {
        if (selector != null) {
            SocketChannels.close(selector);
        }
    }

    private void open() throws IOException {
        if (selector == null) {
            selector = Selector.open();
        }
    }

    /**
     * Returns how long this may take, in nanoseconds: 0 if a comm can move already. Under the lock, so that no comm is
     * closed meanwhile.
     */
    private synchronized long awaitAll() throws ClosedChannelException {
        long longestNs = Long.MAX_VALUE;
        for (SocketWaiter waiter : snapshot) {
            longestNs = Math.min(longestNs, waiter.sleepOn(selector));
        }
        return longestNs;
    }
}
