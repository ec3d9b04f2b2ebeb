/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.config.ProxyConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** A job whose ranks are threads of this JVM: how long until it is there, and what its ranks have then. */
final class InitRig {
    private static final Duration PATIENCE = Duration.ofSeconds(400);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String RESIDENT = "VmRSS:";
    private static final long SETTLE_MS = 200;

    private final int nRanks;
    private final int turns;
    private final ProxyConfig config;
    private final double[] init;
    private final double[] first;
    private final double[] close;

    InitRig(RigArguments arguments) {
        this.nRanks = arguments.number("ranks");
        this.turns = arguments.number("turns");
        this.config = RigArguments.config(arguments.options()).build();
        this.init = new double[turns];
        this.first = new double[turns];
        this.close = new double[turns];
    }

    /** What the process has, once what a job before left is collected. */
    private record Taken(long threads, long descriptors, long heapBytes, long residentKb) {
        static Taken now() throws IOException, InterruptedException {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(SETTLE_MS);
            System.gc();
            Runtime jvm = Runtime.getRuntime();
            try (Stream<Path> open = Files.list(DESCRIPTORS)) {
                return new Taken(ThreadRanks.count(), open.count(), jvm.totalMemory() - jvm.freeMemory(),
                        resident());
            }
        }

        private static long resident() throws IOException {
            try (Stream<String> lines = Files.lines(STATUS)) {
                return lines.filter(line -> line.startsWith(RESIDENT)).map(line -> line.replaceAll("\\D", ""))
                        .mapToLong(Long::parseLong).findFirst().orElse(0);
            }
        }
    }

    /** The first turn is that of a cold JVM. */
    Measurements measure() throws InterruptedException, ExecutionException, TimeoutException, IOException {
        Measurements found = new Measurements();
        for (int turn = 0; turn < turns; turn++) {
            Taken before = Taken.now();
            Taken after = turn(turn);
            if (turn == 0) {
                found.add("resident_kb", (after.residentKb - before.residentKb) / (double) nRanks);
            }
            if (turn == turns - 1) {
                found.add("threads", (after.threads - before.threads) / (double) nRanks);
                found.add("descriptors", (after.descriptors - before.descriptors) / (double) nRanks);
                found.add("heap_kb", (after.heapBytes - before.heapBytes) / 1024.0 / nRanks);
            }
        }
        found.add("cold_ms", init[0]);
        found.add("init_ms", warm(init));
        found.add("first_ms", warm(first));
        found.add("close_ms", warm(close));
        return found;
    }

    private Taken turn(int turn) throws InterruptedException, ExecutionException, TimeoutException, IOException {
        long start = System.nanoTime();
        Taken taken;
        long closing;
        try (ThreadRanks ranks = new ThreadRanks(nRanks, config, PATIENCE)) {
            init[turn] = SplitRig.ms(start);
            taken = Taken.now();
            long reducing = System.nanoTime();
            ranks.run(rank -> SplitRig.reduce(ranks.communicator(rank), 1));
            first[turn] = SplitRig.ms(reducing);
            closing = System.nanoTime();
        }
        close[turn] = SplitRig.ms(closing);
        return taken;
    }

    private static double warm(double... all) {
        return SplitRig.median(Arrays.copyOfRange(all, Math.min(1, all.length - 1), all.length));
    }
}
