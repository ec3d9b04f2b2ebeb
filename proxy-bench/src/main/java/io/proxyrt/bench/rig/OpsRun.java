/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bench.contender.OpSink;
import io.proxyrt.bench.contender.OpsContender;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** One contender, its producers and its consumer, for some time; fails if an op is not delivered once and in order. */
final class OpsRun {
    private static final long DRAIN_NS = 1_000_000_000;

    private final OpsContender contender;
    private final OpSink sink;
    private final List<Producer> producers;
    private final Consumer<OpsRun> consumer;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch failed = new CountDownLatch(1);
    private volatile boolean isStopped;
    private volatile boolean isOver;
    private long elapsedNs;

    OpsRun(OpsContender contender, OpSink sink, List<Producer> producers, Consumer<OpsRun> consumer) {
        this.contender = contender;
        this.sink = sink;
        this.producers = producers;
        this.consumer = consumer;
    }

    /** The consumer that polls, and waits so when there is nothing. */
    static Consumer<OpsRun> polling(Wait wait) {
        return run -> {
            OpsContender contender = run.contender;
            OpSink sink = run.sink;
            while (!run.isOver) {
                if (contender.poll(sink) == 0) {
                    wait.await(contender);
                }
            }
        };
    }

    /** Ops a second that were posted and arrived. */
    double rate() {
        return sink.ops() * 1e9 / elapsedNs;
    }

    /** For producers: whether to end. */
    boolean isStopped() {
        return isStopped;
    }

    /** For consumers: whether to end. */
    boolean isOver() {
        return isOver;
    }

    OpsContender contender() {
        return contender;
    }

    OpSink sink() {
        return sink;
    }

    /** Runs for so long, and closes the contender. */
    void run(long durationNs) {
        try (contender) {
            Thread consuming = start("consumer", this::consume);
            long start = System.nanoTime();
            List<Thread> posting = new ArrayList<>();
            for (Producer producer : producers) {
                posting.add(start("producer-" + posting.size(), () -> producer.run(this)));
            }
            sleep(start + durationNs);
            isStopped = true;
            posting.forEach(OpsRun::join);
            elapsedNs = System.nanoTime() - start;
            isOver = true;
            contender.wakeup();
            join(consuming);
        }
        if (failure.get() == null && posted() != sink.ops()) {
            failure.set(new IllegalStateException(posted() + " ops were posted, " + sink.ops() + " came"));
        }
        if (failure.get() != null) {
            throw new IllegalStateException(contender.getClass().getSimpleName() + ": " + failure.get().getMessage(),
                    failure.get());
        }
    }

    private void consume() {
        consumer.accept(this);
        long posted = posted();
        long deadline = System.nanoTime() + DRAIN_NS;
        while (sink.ops() < posted && System.nanoTime() - deadline < 0) {
            contender.poll(sink);
        }
    }

    /** Exact once the producers have ended. */
    private long posted() {
        return producers.stream().mapToLong(Producer::posted).sum();
    }

    private Thread start(String name, Runnable body) {
        return Thread.ofPlatform().name(name).start(() -> {
            try {
                body.run();
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
                failed.countDown();
            }
        });
    }

    /** In one go: a thread that wakes every so often makes other contenders' ops late. */
    private void sleep(long untilNs) {
        try {
            failed.await(untilNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
