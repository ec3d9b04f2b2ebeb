/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import org.jctools.queues.MessagePassingQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;

/** A queue of JCTools as it is: {@code fill} for a batch, {@code drain} on the other side. */
final class JcToolsContender implements OpsContender {
    private final MessagePassingQueue<Op> queue;
    private final Sleeper sleeper;
    private final int capacity;
    private OpSink sink;
    private final MessagePassingQueue.Consumer<Op> consumer = op -> op.copyTo(sink);

    private JcToolsContender(MessagePassingQueue<Op> queue, int capacity, boolean parks) {
        this.queue = queue;
        this.capacity = capacity;
        this.sleeper = new Sleeper(parks);
    }

    static OpsContender mpsc(int producers, boolean parks) {
        return new JcToolsContender(new MpscArrayQueue<>(PER_POSTER * producers), PER_POSTER * producers, parks);
    }

    static OpsContender spsc(int producers, boolean parks) {
        if (producers != 1) {
            throw new IllegalArgumentException("SpscArrayQueue has one producer, not " + producers);
        }
        return new JcToolsContender(new SpscArrayQueue<>(PER_POSTER), PER_POSTER, parks);
    }

    @Override
    public Poster poster(int producer) {
        return new QueuePoster();
    }

    @Override
    public int poll(OpSink sink) {
        this.sink = sink;
        return queue.drain(consumer, LIMIT);
    }

    @Override
    public void await() {
        sleeper.await(queue::isEmpty);
    }

    @Override
    public void wakeup() {
        sleeper.stop();
    }

    private final class QueuePoster implements Poster {
        private final OwnOps ops = new OwnOps(capacity);
        private OpTemplate template;
        private final MessagePassingQueue.Supplier<Op> supplier = () -> ops.next(template);

        @Override
        public int post(OpTemplate template, int count) {
            int posted = count == 1 ? offer(template) : fill(template, count);
            if (posted > 0) {
                sleeper.posted();
            }
            return posted;
        }

        private int offer(OpTemplate template) {
            if (!queue.relaxedOffer(ops.peek(template))) {
                return 0;
            }
            ops.advance(template);
            return 1;
        }

        private int fill(OpTemplate template, int count) {
            this.template = template;
            return queue.fill(supplier, count);
        }
    }
}
