/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.verbs;

import io.proxyrt.core.verbs.CompletionQueue;
import io.proxyrt.core.verbs.VerbsEvent;
import io.proxyrt.core.verbs.WorkCompletion;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A completion queue of a {@link SoftContext}. A poll that finds nothing takes no lock. */
final class SoftCompletionQueue implements CompletionQueue {
    /** Instead of a position in a send queue. */
    static final long RECEIVE = -1;


    private final SoftContext context;
    private final SoftFabric fabric;
    private final SoftQueuePair[] owners;
    /** Position in the owner's send queue; {@link #RECEIVE} for a receive. */
    private final long[] positions;
    private final long[] ids;
    private final int[] statuses;
    private final int[] opcodes;
    private final int[] lengths;
    private final int[] immediates;
    private final List<SoftQueuePair> queuePairs = new ArrayList<>();
    private int first;
    private final AtomicInteger size = new AtomicInteger();
    /** Queue pairs that wait for their peer: polls are what gives them another try. */
    private final AtomicInteger waiting = new AtomicInteger();
    private volatile boolean isOverrun;
    private volatile boolean isClosed;

    SoftCompletionQueue(SoftContext context, int entries) {
        this.context = context;
        this.fabric = context.softDevice().fabric();
        this.owners = new SoftQueuePair[entries];
        this.positions = new long[entries];
        this.ids = new long[entries];
        this.statuses = new int[entries];
        this.opcodes = new int[entries];
        this.lengths = new int[entries];
        this.immediates = new int[entries];
    }

    @Override
    public int poll(MemorySegment completions, int most) {
        context.counters().polls.incrementAndGet();
        if (size.get() == 0 && waiting.get() == 0 && !isOverrun && !isClosed) {
            return 0;
        }
        synchronized (fabric) {
            if (waiting.get() > 0 && !fabric.isHeld()) {
                retry();
            }
            if (isOverrun || isClosed) {
                return -1;
            }
            int count = Math.min(most, size.get());
            for (int i = 0; i < count; i++) {
                take(completions, i * WorkCompletion.BYTES);
            }
            context.counters().completions += count;
            return count;
        }
    }

    private void retry() {
        for (int i = 0; i < queuePairs.size(); i++) {
            queuePairs.get(i).run();
        }
    }

    private void take(MemorySegment completions, long at) {
        SoftQueuePair owner = owners[first];
        WorkCompletion.set(completions, at, ids[first], statuses[first], opcodes[first], lengths[first],
                immediates[first], owner.number());
        owner.polled(positions[first]);
        first = next(first);
        size.decrementAndGet();
    }

    void addSent(SoftQueuePair owner, long position, long id, int status, int opcode) {
        add(owner, position, id, status, opcode, 0, 0);
    }

    void addReceived(SoftQueuePair owner, long id, int status, int bytes, int immediate) {
        add(owner, RECEIVE, id, status, WorkCompletion.RECV_RDMA_WITH_IMM, bytes, immediate);
    }

    private void add(SoftQueuePair owner, long position, long id, int status, int opcode, int bytes, int immediate) {
        if (size.get() == ids.length) {
            overrun();
            return;
        }
        int at = (first + size.get()) % ids.length;
        owners[at] = owner;
        positions[at] = position;
        ids[at] = id;
        statuses[at] = status;
        opcodes[at] = opcode;
        lengths[at] = bytes;
        immediates[at] = immediate;
        size.incrementAndGet();
    }

    private void overrun() {
        if (!isOverrun) {
            isOverrun = true;
            context.softDevice().tell(new VerbsEvent(VerbsEvent.CQ_ERR, 0));
            for (int i = 0; i < queuePairs.size(); i++) {
                queuePairs.get(i).fail();
            }
        }
    }

    void waiting(int change) {
        waiting.addAndGet(change);
    }

    boolean isOf(SoftContext other) {
        SoftErrors.requireOpen(isClosed, "a completion queue of " + context.device());
        return context == other;
    }

    void add(SoftQueuePair queuePair) {
        queuePairs.add(queuePair);
    }

    /** Drops completions of a queue pair that were not polled, unless the device keeps them. */
    void remove(SoftQueuePair queuePair) {
        queuePairs.remove(queuePair);
        if (!context.softDevice().isKeepingCompletions()) {
            drop(queuePair);
        }
    }

    private void drop(SoftQueuePair queuePair) {
        int kept = 0;
        for (int i = 0; i < size.get(); i++) {
            int from = (first + i) % ids.length;
            if (owners[from] != queuePair) {
                move(from, (first + kept) % ids.length);
                kept++;
            }
        }
        size.set(kept);
    }

    private void move(int from, int to) {
        owners[to] = owners[from];
        positions[to] = positions[from];
        ids[to] = ids[from];
        statuses[to] = statuses[from];
        opcodes[to] = opcodes[from];
        lengths[to] = lengths[from];
        immediates[to] = immediates[from];
    }

    private int next(int at) {
        return at + 1 == ids.length ? 0 : at + 1;
    }

    @Override
    public void close() {
        synchronized (fabric) {
            if (isClosed) {
                return;
            }
            if (!queuePairs.isEmpty()) {
                throw SoftErrors.busy("completion queue of " + context.device(), queuePairs.size());
            }
            isClosed = true;
            context.leave();
        }
    }
}
