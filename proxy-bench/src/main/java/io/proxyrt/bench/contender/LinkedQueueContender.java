/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** {@link ConcurrentLinkedQueue}, bounded by a count for each producer, as the others are by their size. */
final class LinkedQueueContender implements OpsContender {
    private static final int SPREAD = 32;

    private final ConcurrentLinkedQueue<Op> queue = new ConcurrentLinkedQueue<>();
    private final AtomicIntegerArray underWay;
    private final int bound;
    private final Sleeper sleeper;

    LinkedQueueContender(int producers, boolean parks) {
        this.underWay = new AtomicIntegerArray(SPREAD * (producers + 1));
        this.bound = PER_POSTER;
        this.sleeper = new Sleeper(parks);
    }

    @Override
    public Poster poster(int producer) {
        OwnOps ops = new OwnOps(PER_POSTER);
        int counter = SPREAD * (producer + 1);
        return (template, count) -> {
            int room = Math.min(count, bound - underWay.get(counter));
            for (int i = 0; i < room; i++) {
                underWay.getAndIncrement(counter);
                queue.offer(ops.next(template));
            }
            if (room > 0) {
                sleeper.posted();
            }
            return room;
        };
    }

    @Override
    public int poll(OpSink sink) {
        int ops = 0;
        for (Op op = queue.poll(); op != null; op = ops < LIMIT ? queue.poll() : null) {
            int producer = (int) op.words[OpTemplate.PRODUCER];
            op.copyTo(sink);
            underWay.getAndDecrement(SPREAD * (producer + 1));
            ops++;
        }
        return ops;
    }

    @Override
    public void await() {
        sleeper.await(queue::isEmpty);
    }

    @Override
    public void wakeup() {
        sleeper.stop();
    }
}
