/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A completion queue of many connections: one look at it tells of all of them. It cannot run over, for each {@link
 * Route} has room for all that its queue pairs post.
 *
 * <p>One thread at a time looks, the one that uses the comms. Others make and end routes meanwhile. A look that finds
 * nothing takes no lock; one that finds something brings it to the comms under the lock, so that none of them is
 * closed meanwhile.
 *
 * <p>Devices differ in whether completions of a queue pair stay in the queue when it is destroyed. So the room and the
 * number of a route that has left are another's only after a look that began later has found the queue empty.
 */
final class SharedQueue implements AutoCloseable {
    /** Completions that one poll takes. */
    static final int MOST = 16;
    /** Polls of a look, while each finds as many as it can take. */
    private static final int MOST_POLLS = 16;

    private final String name;
    private final CompletionQueue queue;
    private final int entries;
    private final MemorySegment completions;
    /** By the thread that polls, for as long as the call takes; by the one that closes, for good. */
    private final AtomicBoolean isTaken = new AtomicBoolean();
    /** By number; null where there is none. Under the lock, as all that follows. */
    private final List<Route> routes = new ArrayList<>();
    private final Queue<Route> left = new ArrayDeque<>();
    private int used;
    private String failure = "";
    private volatile int leftCount;
    /** The thread that looks: how often it did, and whether a comm has waited since the last look for all. */
    private long looks;
    private boolean isAwaited;

    /** Takes the queue over. Completions get their place in memory that queues of an adapter may have in common. */
    SharedQueue(String name, CompletionQueue queue, int entries, MemorySegment completions) {
        this.name = name;
        this.queue = queue;
        this.entries = entries;
        this.completions = completions;
    }

    CompletionQueue queue() {
        return queue;
    }

    /** A way for work requests of that many; null if there is no room for them. */
    synchronized Route route(CompletionQueues queues, int forEntries) {
        int number = routes.indexOf(null);
        if (!failure.isEmpty() || forEntries > entries - used || number < 0 && routes.size() == WorkId.ROUTES) {
            return null;
        }
        used += forEntries;
        Route route = new Route(queues, this, number < 0 ? routes.size() : number, forEntries);
        if (number < 0) {
            routes.add(route);
        } else {
            routes.set(number, route);
        }
        return route;
    }

    /** A route has no queue pair any more. Returns whether all routes have left. */
    synchronized boolean release(Route route) {
        left.add(route);
        leftCount = left.size();
        return routes.stream().allMatch(each -> each == null || left.contains(each));
    }

    /** Why it failed; empty as long as it has not. Under the lock. */
    String failure() {
        return failure;
    }

    long looks() {
        return looks;
    }

    /** Looks, unless it was done after so many looks. Returns how many there were by now. */
    long lookUnlessAfter(long seen) {
        isAwaited = true;
        if (seen == looks) {
            look();
        }
        return looks;
    }

    /** Looks for all, if a comm has waited since the last time. Returns how many completions there were. */
    int lookIfAwaited() {
        boolean isWanted = isAwaited;
        isAwaited = false;
        return isWanted ? look() : 0;
    }

    /** Brings what is there to the comms. Returns how many completions there were. */
    int look() {
        looks++;
        int leftBefore = leftCount;
        int all = 0;
        int n = MOST;
        for (int i = 0; i < MOST_POLLS && n == MOST; i++) {
            n = poll();
            if (n != 0) {
                bring(n);
            }
            all += Math.max(0, n);
        }
        if (leftBefore > 0 && n >= 0 && n < MOST) {
            reuse(leftBefore);
        }
        return all;
    }

    private int poll() {
        if (!isTaken.compareAndSet(false, true)) {
            return 0;
        }
        try {
            return queue.poll(completions, MOST);
        } finally {
            isTaken.setRelease(false);
        }
    }

    private synchronized void bring(int n) {
        if (n < 0) {
            fail(n);
        }
        for (int i = 0; i < n; i++) {
            long at = i * WorkCompletion.BYTES;
            int number = WorkId.route(WorkCompletion.id(completions, at));
            Route route = number < routes.size() ? routes.get(number) : null;
            if (route != null) {
                route.complete(completions, at);
            }
        }
    }

    private void fail(int code) {
        if (failure.isEmpty()) {
            failure = "a completion queue of " + name + ", which its connections share, failed: " + code;
            routes.stream().filter(route -> route != null).forEach(route -> route.queueFailed(failure));
        }
    }

    /** Those that left first are forgotten: the queue was empty since. */
    private synchronized void reuse(int count) {
        for (int i = 0; i < count; i++) {
            Route route = left.remove();
            routes.set(route.number(), null);
            used -= route.entries();
        }
        leftCount = left.size();
    }

    /** All routes have left, or their queue pairs cannot be destroyed. A look finds nothing from now on. */
    @Override
    public void close() {
        while (!isTaken.compareAndSet(false, true)) {
            Thread.yield();
        }
        queue.close();
    }
}
