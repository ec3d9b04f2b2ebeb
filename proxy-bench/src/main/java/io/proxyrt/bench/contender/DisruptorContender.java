/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.contender;

import com.lmax.disruptor.AlertException;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.InsufficientCapacityException;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;

/**
 * LMAX Disruptor. Its poller scans all published slots on each call, so it takes what is there: stopping after 16 would
 * make it scan the rest again and again.
 */
final class DisruptorContender implements OpsContender {
    private final RingBuffer<Op> ring;
    private final EventPoller<Op> poller;
    private final SequenceBarrier barrier;
    private final EventPoller.Handler<Op> handler = this::take;
    private OpSink sink;
    private int taken;

    DisruptorContender(int producers, boolean parks) {
        this.ring = RingBuffer.create(producers == 1 ? ProducerType.SINGLE : ProducerType.MULTI, Op::new,
                PER_POSTER * producers, parks ? new BlockingWaitStrategy() : new YieldingWaitStrategy());
        this.poller = ring.newPoller();
        this.barrier = ring.newBarrier();
        ring.addGatingSequences(poller.getSequence());
    }

    @Override
    public Poster poster(int producer) {
        return this::post;
    }

    @Override
    public int poll(OpSink sink) {
        this.sink = sink;
        taken = 0;
        try {
            poller.poll(handler);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return taken;
    }

    @Override
    public void await() {
        try {
            barrier.waitFor(poller.getSequence().get() + 1);
        } catch (AlertException e) {
            taken = 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            throw new IllegalStateException("BlockingWaitStrategy knows no time-out", e);
        }
    }

    @Override
    public void wakeup() {
        barrier.alert();
    }

    private int post(OpTemplate template, int count) {
        long last;
        try {
            last = ring.tryNext(count);
        } catch (InsufficientCapacityException e) {
            return 0;
        }
        long first = last - count + 1;
        for (long sequence = first; sequence <= last; sequence++) {
            ring.get(sequence).set(template);
        }
        ring.publish(first, last);
        return count;
    }

    private boolean take(Op op, long sequence, boolean isLast) {
        op.copyTo(sink);
        taken++;
        return true;
    }
}
