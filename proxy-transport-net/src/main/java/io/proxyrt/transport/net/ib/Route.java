/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.QueuePair;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The way from a {@link SharedQueue} to an end of a connection at one port: room for all that its queue pairs post, and
 * the comm that their completions are for. Ids of work requests carry its number. Until there is a comm its completions
 * are kept, and once it has left they are dropped.
 */
final class Route implements AutoCloseable {
    private final CompletionQueues queues;
    private final SharedQueue queue;
    private final int number;
    private final int entries;
    /** Under the queue's lock, as all that follows but the last two. */
    private final List<MemorySegment> early = new ArrayList<>();
    private CompletionSink sink;
    private boolean isDetached;
    /** Queue pairs that are there. The thread that sets up, then the one that closes. */
    private int pairs;
    /** Of the queue: how often it had been looked at when this route's owner looked last. The thread that looks. */
    private long seen;

    Route(CompletionQueues queues, SharedQueue queue, int number, int entries) {
        this.queues = queues;
        this.queue = queue;
        this.number = number;
        this.entries = entries;
    }

    /** Of what is posted. */
    long workId(int kind, int slot, int pair) {
        return WorkId.of(number, kind, slot, pair);
    }

    /** To make queue pairs with; each is to {@link #enter}. */
    CompletionQueue queue() {
        return queue.queue();
    }

    int number() {
        return number;
    }

    int entries() {
        return entries;
    }

    void enter() {
        pairs++;
    }

    /** Destroys a queue pair that entered. One that cannot be destroyed may complete something still. */
    void destroy(QueuePair pair) {
        pair.close();
        pairs--;
    }

    /** Brings completions to a comm from now on, first those that came already. Any thread. */
    void attach(CompletionSink to) {
        synchronized (queue) {
            assert sink == null && !isDetached : number;
            sink = to;
            early.forEach(each -> to.complete(each, 0));
            early.clear();
            if (!queue.failure().isEmpty()) {
                to.queueFailed(queue.failure());
            }
        }
    }

    /** Drops completions from now on: when this returns, none is being brought to the comm. Any thread. */
    void detach() {
        synchronized (queue) {
            isDetached = true;
            sink = null;
            early.clear();
        }
    }

    /** Looks at the queue, unless it was looked at since the last call. The thread that looks. */
    void look() {
        seen = queue.lookUnlessAfter(seen);
    }

    /** Looks at the queue in any case. The thread that looks. */
    void lookNow() {
        queue.look();
        seen = queue.looks();
    }

    /** Under the queue's lock. */
    void complete(MemorySegment completions, long at) {
        if (sink != null) {
            sink.complete(completions, at);
        } else if (!isDetached) {
            early.add(Arena.ofAuto().allocate(WorkCompletion.BYTES, Long.BYTES)
                    .copyFrom(completions.asSlice(at, WorkCompletion.BYTES)));
        }
    }

    /** Under the queue's lock. */
    void queueFailed(String why) {
        if (sink != null) {
            sink.queueFailed(why);
        }
    }

    /** Gives the room back, unless queue pairs are left that may use it. */
    @Override
    public void close() {
        detach();
        if (pairs == 0) {
            queues.release(this, queue);
        }
    }
}
