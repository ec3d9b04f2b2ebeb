/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * RCCL's own design in Java: an index-linked pool of ops for each producer, a shared list posted under a
 * {@link ReentrantLock} with a {@link Condition}, taken whole by the consumer, and given back by compare-and-set.
 */
final class LockConditionContender implements OpsContender {
    private static final int SPREAD = 32;
    private static final int NONE = -1;

    private final int perProducer;
    private final Op[] ops;
    private final AtomicIntegerArray free;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition isPosted = lock.newCondition();
    private final boolean parks;
    private final int[] freedFirst;
    private final int[] freedLast;
    private volatile int postedFirst = NONE;
    private int postedLast;
    private int next = NONE;
    private volatile boolean isStopped;

    LockConditionContender(int producers, boolean parks) {
        this.parks = parks;
        this.perProducer = PER_POSTER;
        this.ops = new Op[PER_POSTER * producers];
        this.free = new AtomicIntegerArray(SPREAD * (producers + 1));
        this.freedFirst = new int[producers];
        this.freedLast = new int[producers];
        for (int i = 0; i < ops.length; i++) {
            ops[i] = new Op();
            ops[i].next = (i + 1) % perProducer == 0 ? NONE : i + 1;
        }
        for (int i = 0; i < producers; i++) {
            free.set(SPREAD * (i + 1), i * perProducer);
        }
    }

    @Override
    public Poster poster(int producer) {
        return new PoolPoster(SPREAD * (producer + 1));
    }

    private final class PoolPoster implements Poster {
        private final int freeList;
        private int nextFree = NONE;

        PoolPoster(int freeList) {
            this.freeList = freeList;
        }

        @Override
        public int post(OpTemplate template, int count) {
            int first = NONE;
            int last = NONE;
            int filled = 0;
            for (; filled < count && hasFree(); filled++) {
                int index = nextFree;
                Op op = ops[index];
                nextFree = op.next;
                op.set(template);
                op.next = NONE;
                if (first == NONE) {
                    first = index;
                } else {
                    ops[last].next = index;
                }
                last = index;
            }
            if (filled > 0) {
                publish(first, last);
            }
            return filled;
        }

        private boolean hasFree() {
            if (nextFree == NONE) {
                nextFree = free.getAndSet(freeList, NONE);
            }
            return nextFree != NONE;
        }
    }

    private void publish(int first, int last) {
        lock.lock();
        try {
            if (postedFirst == NONE) {
                postedFirst = first;
                if (parks) {
                    isPosted.signal();
                }
            } else {
                ops[postedLast].next = first;
            }
            postedLast = last;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int poll(OpSink sink) {
        if (next == NONE && !takeList()) {
            return 0;
        }
        Arrays.fill(freedFirst, NONE);
        int taken = 0;
        for (; next != NONE && taken < LIMIT; taken++) {
            int index = next;
            Op op = ops[index];
            op.copyTo(sink);
            next = op.next;
            int producer = index / perProducer;
            if (freedFirst[producer] == NONE) {
                freedLast[producer] = index;
            }
            op.next = freedFirst[producer];
            freedFirst[producer] = index;
        }
        for (int producer = 0; producer < freedFirst.length; producer++) {
            giveBack(producer);
        }
        return taken;
    }

    private boolean takeList() {
        if (postedFirst == NONE || !lock.tryLock()) {
            return false;
        }
        try {
            next = postedFirst;
            postedFirst = NONE;
        } finally {
            lock.unlock();
        }
        return next != NONE;
    }

    private void giveBack(int producer) {
        if (freedFirst[producer] == NONE) {
            return;
        }
        int freeList = SPREAD * (producer + 1);
        int head;
        do {
            head = free.get(freeList);
            ops[freedLast[producer]].next = head;
        } while (!free.compareAndSet(freeList, head, freedFirst[producer]));
    }

    @Override
    public void await() {
        lock.lock();
        try {
            while (next == NONE && postedFirst == NONE && !isStopped) {
                isPosted.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void wakeup() {
        isStopped = true;
        lock.lock();
        try {
            isPosted.signal();
        } finally {
            lock.unlock();
        }
    }
}
