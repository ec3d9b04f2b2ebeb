/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.bootstrap.BootstrapRoot;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntFunction;

/** Memberships of a job alone, whose ranks are threads of this JVM: how long they take to meet, and to all-gather. */
final class MeetRig {
    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final String ROOT = "proxy-bootstrap-root";

    private final int nRanks;
    private final int rounds;
    private final byte[] blob;

    MeetRig(RigArguments arguments) {
        this.nRanks = arguments.number("ranks");
        this.rounds = arguments.number("rounds");
        this.blob = new byte[arguments.number("bytes")];
    }

    Measurements measure() throws InterruptedException, ExecutionException {
        Measurements found = new Measurements();
        try (ExecutorService threads = Executors.newFixedThreadPool(nRanks);
                BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        nRanks)) {
            long begin = System.nanoTime();
            List<Bootstrap> ranks = run(threads, rank -> Bootstrap.join(root.id(), rank, nRanks, PATIENCE));
            found.add("join_ms", SplitRig.ms(begin));
            double[] gather = new double[rounds];
            double[] ofRoot = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                double before = rootMs();
                begin = System.nanoTime();
                run(threads, rank -> ranks.get(rank).allGather(blob, PATIENCE).length);
                gather[round] = SplitRig.ms(begin);
                ofRoot[round] = rootMs() - before;
            }
            found.add("gather_ms", SplitRig.median(gather));
            found.add("root_ms", SplitRig.median(ofRoot));
            begin = System.nanoTime();
            run(threads, rank -> {
                ranks.get(rank).close();
                return rank;
            });
            found.add("close_ms", SplitRig.ms(begin));
        }
        return found;
    }

    /** CPU time of the root's thread. */
    private static double rootMs() {
        long id = Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().equals(ROOT))
                .findFirst().orElseThrow().threadId();
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(id) / 1e6;
    }

    private <T> List<T> run(ExecutorService threads, IntFunction<T> step)
            throws InterruptedException, ExecutionException {
        List<Future<T>> all = new ArrayList<>();
        for (int rank = 0; rank < nRanks; rank++) {
            int self = rank;
            all.add(threads.submit(() -> step.apply(self)));
        }
        List<T> found = new ArrayList<>();
        for (Future<T> each : all) {
            found.add(each.get());
        }
        return found;
    }
}
