/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A fresh JVM whose two ranks sum one number again and again. Says when the first call was done, and when those began
 * that took no more than half as long again as in the end.
 */
public final class ColdMain {
    /** Calls whose mean is one figure. */
    private static final int CALLS = 64;
    private static final double STEADY = 1.5;
    private static final int LAST = 4;
    private static final int LEAST_WINDOWS = 8;

    private final long startNs;
    private final long timeNs;
    private final Map<String, String> options;
    private final List<Long> windows = new ArrayList<>();
    private long firstNs;

    private ColdMain(long startNs, Duration time, Map<String, String> options) {
        this.startNs = startNs;
        this.timeNs = time.toNanos();
        this.options = options;
    }

    /**
     * Runs it.
     *
     * @param words milliseconds that it shall take from the first call on, then {@code option=value}
     * @throws Exception of a rank
     */
    public static void main(String[] words) throws Exception {
        long startNs = System.nanoTime();
        long bootMs = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
        RigArguments arguments = new RigArguments(List.of(words).subList(1, words.length));
        ColdMain cold = new ColdMain(startNs, Duration.ofMillis(Long.parseLong(words[0])), arguments.options());
        cold.run();
        cold.report(bootMs).print(System.out);
    }

    private void run() throws InterruptedException, ExecutionException {
        try (BootstrapRoot root = CommEnd.root()) {
            FutureTask<Void> other = new FutureTask<>(() -> rank(root, 1), null);
            Thread.ofPlatform().name("rank-1").start(other);
            rank(root, 0);
            other.get();
        }
    }

    private void rank(BootstrapRoot root, int rank) {
        try (Arena arena = Arena.ofShared();
                Communicator communicator = Communicator.init(root.id(), rank, CommEnd.RANKS,
                        RigArguments.config(options).build())) {
            MemorySegment isLast = arena.allocate(ValueLayout.JAVA_INT);
            MemorySegment sum = arena.allocate(ValueLayout.JAVA_INT);
            while (sum.get(ValueLayout.JAVA_INT, 0) == 0) {
                for (int i = 0; i < CALLS && sum.get(ValueLayout.JAVA_INT, 0) == 0; i++) {
                    communicator.allReduce(isLast, sum, 1, DataType.INT32, RedOp.SUM);
                    communicator.synchronize();
                    if (rank == 0 && firstNs == 0) {
                        firstNs = System.nanoTime();
                    }
                }
                if (rank == 0) {
                    windows.add(System.nanoTime());
                    isLast.set(ValueLayout.JAVA_INT, 0, isEnough() ? 1 : 0);
                }
            }
        }
    }

    private boolean isEnough() {
        return windows.size() > LEAST_WINDOWS && System.nanoTime() - firstNs > timeNs;
    }

    private Measurements report(long bootMs) {
        List<Double> means = new ArrayList<>();
        for (int i = 1; i < windows.size() - 1; i++) {
            means.add((double) (windows.get(i) - windows.get(i - 1)) / CALLS);
        }
        double steady = means.subList(means.size() - means.size() / LAST, means.size()).stream().sorted()
                .skip(means.size() / LAST / 2).findFirst().orElseThrow();
        int first = 0;
        while (means.get(first) > STEADY * steady) {
            first++;
        }
        Measurements measured = new Measurements();
        measured.add("boot_ms", bootMs);
        measured.add("first_ms", millis(firstNs));
        measured.add("steady_ms", millis(windows.get(first)));
        measured.add("steady_us", steady / 1000);
        return measured;
    }

    private double millis(long atNs) {
        return (atNs - startNs) / 1e6;
    }
}
