/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.jmh;

import io.proxyrt.bench.contender.Contenders;
import io.proxyrt.bench.contender.OpSink;
import io.proxyrt.bench.contender.OpTemplate;
import io.proxyrt.bench.contender.OpsContender;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.Control;
import org.openjdk.jmh.infra.ThreadParams;

/**
 * Threads that post to one that fetches, as groups for JMH's own command line. What counts is {@code fetched}, ops a
 * microsecond: the score adds up calls, also those that found nothing.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = {"-Xms256m", "-Xmx256m", "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"})
public class OpsQueueBenchmark {
    /** Which queue; the peers have the names that the tables have. */
    @Param({"lanes", "mpsc", "locked"})
    public String contender;
    /** Ops posted together. */
    @Param({"1", "16"})
    public int batch;

    private OpsContender queue;
    private OpSink sink;
    /** JMH tears states down in no order, and the queue has to outlive its posting ends. */
    private final AtomicInteger users = new AtomicInteger();

    /** For JMH. */
    public OpsQueueBenchmark() {
    }

    /** What one thread posts. */
    @State(Scope.Thread)
    public static class Producer {
        private OpsQueueBenchmark benchmark;
        private OpTemplate template;
        private OpsContender.Poster poster;

        /** For JMH. */
        public Producer() {
        }

        /**
         * Makes the posting end.
         *
         * @param benchmark with the queue
         * @param thread    which of the producers this is
         */
        @Setup
        public void open(OpsQueueBenchmark benchmark, ThreadParams thread) {
            this.benchmark = benchmark;
            template = new OpTemplate(thread.getSubgroupThreadIndex());
            poster = benchmark.queue.poster(thread.getSubgroupThreadIndex());
        }

        /**
         * Gives the posting end back.
         *
         * @throws Exception if that fails
         */
        @TearDown
        public void close() throws Exception {
            poster.close();
            benchmark.close();
        }
    }

    /** How many ops have come. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    public static class Ops {
        /** Since the iteration began. */
        public long fetched;

        /** For JMH. */
        public Ops() {
        }
    }

    /**
     * Makes the queue.
     *
     * @param params say how many threads are in a group, of which one fetches
     */
    @Setup
    public void open(BenchmarkParams params) {
        int producers = Arrays.stream(params.getThreadGroups()).sum() - 1;
        queue = Contenders.make(contender, producers, false);
        sink = new OpSink(producers, null);
        users.set(producers + 1);
    }

    /**
     * Gives the queue back when this and all posting ends are closed.
     *
     * @throws Exception if that fails
     */
    @TearDown
    public void close() throws Exception {
        if (users.decrementAndGet() == 0) {
            queue.close();
        }
    }

    /**
     * Fetches from one producer.
     *
     * @param ops counts
     */
    @Benchmark
    @Group("producers1")
    @GroupThreads(1)
    public void fetchOf1(Ops ops) {
        fetch(ops);
    }

    /**
     * Posts, the only one to do so.
     *
     * @param producer of this thread
     * @param control  says when to end
     */
    @Benchmark
    @Group("producers1")
    @GroupThreads(1)
    public void postOf1(Producer producer, Control control) {
        post(producer, control);
    }

    /**
     * Fetches from two producers.
     *
     * @param ops counts
     */
    @Benchmark
    @Group("producers2")
    @GroupThreads(1)
    public void fetchOf2(Ops ops) {
        fetch(ops);
    }

    /**
     * Posts, as another does.
     *
     * @param producer of this thread
     * @param control  says when to end
     */
    @Benchmark
    @Group("producers2")
    @GroupThreads(2)
    public void postOf2(Producer producer, Control control) {
        post(producer, control);
    }

    /**
     * Fetches from four producers.
     *
     * @param ops counts
     */
    @Benchmark
    @Group("producers4")
    @GroupThreads(1)
    public void fetchOf4(Ops ops) {
        fetch(ops);
    }

    /**
     * Posts, as three others do.
     *
     * @param producer of this thread
     * @param control  says when to end
     */
    @Benchmark
    @Group("producers4")
    @GroupThreads(4)
    public void postOf4(Producer producer, Control control) {
        post(producer, control);
    }

    /** As the consumer of the tables: yields when there is nothing. */
    private void fetch(Ops ops) {
        int fetched = queue.poll(sink);
        ops.fetched += fetched;
        if (fetched == 0) {
            Thread.yield();
        }
    }

    /** As the producers of the tables: yields when there is no room. The consumer may end first. */
    private void post(Producer producer, Control control) {
        int left = batch - producer.poster.post(producer.template, batch);
        while (left > 0 && !control.stopMeasurement) {
            Thread.yield();
            left -= producer.poster.post(producer.template, left);
        }
    }
}
