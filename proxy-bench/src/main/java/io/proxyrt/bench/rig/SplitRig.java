/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.HdrHistogram.Histogram;

/** Communicators of half the ranks each, split off or made anew; and two of the same ranks, used at the same time. */
final class SplitRig {
    private static final int HALVES = 2;
    private static final int RANKS_BESIDE = 2;
    private static final long LARGE_BYTES = 16 << 20;

    private SplitRig() {
    }

    /** How long it takes until each rank has its half, and until the first all-reduce in it is done. */
    static Measurements formation(RigArguments arguments)
            throws InterruptedException, ExecutionException, TimeoutException {
        int nRanks = arguments.number("ranks");
        int turns = arguments.number("turns");
        ProxyConfig config = RigArguments.config(arguments.options()).build();
        Measurements found = new Measurements();
        double[] init = new double[turns];
        double[] initFirst = new double[turns];
        long initThreads = 0;
        for (int turn = 0; turn < turns; turn++) {
            initThreads = init(nRanks, config, turn, init, initFirst);
        }
        found.add("init_threads", initThreads);
        double[] split = new double[turns];
        double[] splitFirst = new double[turns];
        try (ThreadRanks ranks = new ThreadRanks(nRanks, config)) {
            long before = ThreadRanks.count();
            for (int turn = 0; turn < turns; turn++) {
                split(ranks, turn, split, splitFirst);
            }
            found.add("split_threads", ThreadRanks.count() - before);
        }
        found.add("init_ms", median(init));
        found.add("split_ms", median(split));
        found.add("of_init", median(split) / median(init));
        found.add("first_init_ms", median(initFirst));
        found.add("first_split_ms", median(splitFirst));
        return found;
    }

    /** Returns how many threads they have, but for those of the roots. */
    private static long init(int nRanks, ProxyConfig config, int turn, double[] init, double[] first)
            throws InterruptedException, ExecutionException, TimeoutException {
        long before = ThreadRanks.count();
        long start = System.nanoTime();
        List<ThreadRanks> halves = Collections.synchronizedList(new ArrayList<>());
        try (ExecutorService threads = Executors.newFixedThreadPool(HALVES)) {
            List<Callable<Boolean>> joins = Collections.nCopies(HALVES,
                    () -> halves.add(new ThreadRanks(nRanks / HALVES, config)));
            for (Future<Boolean> half : threads.invokeAll(joins)) {
                half.get();
            }
            init[turn] = ms(start);
            long count = ThreadRanks.count() - before - HALVES;
            for (ThreadRanks half : halves) {
                half.run(rank -> reduce(half.communicator(rank), 1));
            }
            first[turn] = ms(start);
            return count;
        } finally {
            halves.forEach(ThreadRanks::close);
        }
    }

    private static void split(ThreadRanks ranks, int turn, double[] split, double[] first)
            throws InterruptedException, ExecutionException, TimeoutException {
        long start = System.nanoTime();
        List<Communicator> halves = ranks.run(rank -> ranks.communicator(rank).split(rank % HALVES, 0));
        split[turn] = ms(start);
        ranks.run(rank -> reduce(halves.get(rank), 1));
        first[turn] = ms(start);
        ranks.run(rank -> halves.get(rank).close(Rank.PATIENCE));
    }

    /** Small all-reduces, by themselves, and while another communicator of the same ranks carries large ones. */
    static Measurements beside(RigArguments arguments)
            throws InterruptedException, ExecutionException, TimeoutException {
        Measurements found = new Measurements();
        try (ThreadRanks ranks = new ThreadRanks(RANKS_BESIDE, RigArguments.config(arguments.options()).build())) {
            List<Communicator> small = ranks.run(rank -> ranks.communicator(rank).split(0, 0));
            long durationNs = arguments.nanos("seconds");
            measure(ranks, small, arguments.nanos("warmup"));
            Histogram alone = measure(ranks, small, durationNs);
            Histogram beside;
            AtomicBoolean isOver = new AtomicBoolean();
            List<Thread> streams = stream(ranks, isOver);
            try {
                measure(ranks, small, arguments.nanos("warmup"));
                beside = measure(ranks, small, durationNs);
            } finally {
                isOver.set(true);
                for (Thread stream : streams) {
                    stream.join();
                }
            }
            found.add("alone", alone);
            found.add("beside", beside);
            found.add("times_p99", beside.getValueAtPercentile(99) / (double) alone.getValueAtPercentile(99));
            ranks.run(rank -> small.get(rank).close(Rank.PATIENCE));
        }
        return found;
    }

    /** Large all-reduces one after the other, until all ranks see in the data that it is over. */
    private static List<Thread> stream(ThreadRanks ranks, AtomicBoolean isOver) {
        List<Thread> streams = new ArrayList<>();
        for (int rank = 0; rank < RANKS_BESIDE; rank++) {
            Communicator large = ranks.communicator(rank);
            streams.add(Thread.ofPlatform().name("large-" + rank).start(() -> {
                MemorySegment buffer = large.allocate(LARGE_BYTES).segment();
                do {
                    buffer.set(JAVA_FLOAT, 0, isOver.get() ? 1 : 0);
                    large.allReduce(buffer, buffer, LARGE_BYTES / Float.BYTES, DataType.FLOAT32, RedOp.MAX);
                    large.synchronize();
                } while (buffer.get(JAVA_FLOAT, 0) == 0);
            }));
        }
        return streams;
    }

    private static Histogram measure(ThreadRanks ranks, List<Communicator> small, long durationNs)
            throws InterruptedException, ExecutionException, TimeoutException {
        return ranks.run(rank -> measure(small.get(rank), durationNs)).getFirst();
    }

    /** Rank 0 says in the data when it is over. */
    private static Histogram measure(Communicator small, long durationNs) {
        Histogram histogram = Measurements.histogram();
        MemorySegment buffer = small.allocate(2 * Float.BYTES).segment();
        long begin = System.nanoTime();
        long now = begin;
        do {
            buffer.set(JAVA_FLOAT, 0, small.rank() == 0 && now - begin >= durationNs ? 1 : 0);
            small.allReduce(buffer, buffer, 2, DataType.FLOAT32, RedOp.MAX);
            small.synchronize();
            long done = System.nanoTime();
            histogram.recordValue(done - now);
            now = done;
        } while (buffer.get(JAVA_FLOAT, 0) == 0);
        return histogram;
    }

    static float reduce(Communicator communicator, int count) {
        MemorySegment buffer = communicator.allocate((long) count * Float.BYTES).segment();
        communicator.allReduce(buffer, buffer, count, DataType.FLOAT32, RedOp.SUM);
        communicator.synchronize();
        return buffer.get(JAVA_FLOAT, 0);
    }

    static double ms(long startNs) {
        return (System.nanoTime() - startNs) / 1e6;
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
