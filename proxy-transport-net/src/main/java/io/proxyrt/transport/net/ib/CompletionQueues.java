/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.VerbsContext;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The completion queues of an adapter, which its connections share: one, and another where its entries do not suffice.
 * A queue ends with its last connection. Any thread, unless a method says otherwise.
 */
final class CompletionQueues implements AutoCloseable {
    /**
     * Of a queue, if the adapter has that many: 117 connections that receive by one queue pair, or 225 that send.
     * Drivers make it one longer, and round that up to a power of two.
     */
    private static final int ENTRIES = (1 << 16) - 1;

    private final VerbsContext context;
    private final int maxEntries;
    private final MemorySegment completions =
            Arena.ofAuto().allocate(SharedQueue.MOST * WorkCompletion.BYTES, Long.BYTES);
    private volatile SharedQueue[] queues = {};

    /** Of a context, whose queues have so many entries at most. */
    CompletionQueues(VerbsContext context, int maxEntries) {
        this.context = context;
        this.maxEntries = maxEntries;
    }

    /** Room for so many work requests at most, owned by the caller. */
    synchronized Route route(int entries) {
        for (SharedQueue queue : queues) {
            Route route = queue.route(this, entries);
            if (route != null) {
                return route;
            }
        }
        SharedQueue queue = open(entries);
        SharedQueue[] more = Arrays.copyOf(queues, queues.length + 1);
        more[queues.length] = queue;
        queues = more;
        return queue.route(this, entries);
    }

    /** A long queue takes memory that may not be had: then one that is just long enough. */
    private SharedQueue open(int least) {
        int entries = Math.max(least, Math.min(ENTRIES, maxEntries));
        try {
            return shared(context.completionQueue(entries), entries);
        } catch (ProxyException e) {
            if (entries == least) {
                throw e;
            }
            return shared(context.completionQueue(least), least);
        }
    }

    private SharedQueue shared(CompletionQueue queue, int entries) {
        return new SharedQueue(context.device(), queue, entries, completions);
    }

    /** A route's queue pairs are gone. */
    synchronized void release(Route route, SharedQueue of) {
        if (of.release(route)) {
            queues = Arrays.stream(queues).filter(queue -> queue != of).toArray(SharedQueue[]::new);
            of.close();
        }
    }

    /** Looks at each queue that a comm waits for. Returns how many completions there were. The thread that looks. */
    int look() {
        int all = 0;
        for (SharedQueue queue : queues) {
            all += queue.lookIfAwaited();
        }
        return all;
    }

    /** Ends what is left: queues with queue pairs that could not be destroyed. */
    @Override
    public synchronized void close() {
        Closing closing = new Closing();
        for (SharedQueue queue : queues) {
            closing.add(queue);
        }
        queues = new SharedQueue[0];
        closing.end();
    }
}
