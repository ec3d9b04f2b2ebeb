/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** {@link ArrayBlockingQueue}, which has neither a batch to post nor one to take without garbage. */
final class JdkQueueContender implements OpsContender {
    private final BlockingQueue<Op> queue;
    private final int capacity;
    private final Op stop = new Op();
    private Op taken;

    JdkQueueContender(int producers) {
        this.capacity = PER_POSTER * producers;
        this.queue = new ArrayBlockingQueue<>(capacity);
    }

    @Override
    public Poster poster(int producer) {
        OwnOps ops = new OwnOps(capacity);
        return (template, count) -> {
            int posted = 0;
            while (posted < count && queue.offer(ops.peek(template))) {
                ops.advance(template);
                posted++;
            }
            return posted;
        };
    }

    @Override
    public int poll(OpSink sink) {
        int ops = 0;
        Op op = taken != null ? taken : queue.poll();
        taken = null;
        while (op != null) {
            if (op != stop) {
                op.copyTo(sink);
                ops++;
            }
            op = ops < LIMIT ? queue.poll() : null;
        }
        return ops;
    }

    @Override
    public void await() {
        try {
            taken = queue.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void wakeup() {
        queue.offer(stop);
    }
}
