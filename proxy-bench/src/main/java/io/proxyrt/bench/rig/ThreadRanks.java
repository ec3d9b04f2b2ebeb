/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** The ranks of a job as threads of this JVM, each with a runtime of its own. */
final class ThreadRanks implements AutoCloseable {
    private static final String OWN_THREADS = "proxy";

    private final BootstrapRoot root;
    private final ExecutorService threads;
    private final Duration patience;
    /** Each set by its rank's thread. */
    private final Communicator[] communicators;

    /** All have joined; if one could not, none of it is left. */
    ThreadRanks(int nRanks, ProxyConfig config) throws InterruptedException, ExecutionException, TimeoutException {
        this(nRanks, config, Rank.PATIENCE);
    }

    /** As above, with so much time for each step. */
    ThreadRanks(int nRanks, ProxyConfig config, Duration patience)
            throws InterruptedException, ExecutionException, TimeoutException {
        this.patience = patience;
        root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), nRanks);
        threads = Executors.newFixedThreadPool(nRanks);
        communicators = new Communicator[nRanks];
        try {
            run(rank -> communicators[rank] = Communicator.init(root.id(), rank, nRanks, config));
        } catch (Throwable e) {
            undo();
            throw e;
        }
    }

    private void undo() throws InterruptedException {
        threads.shutdownNow();
        try {
            threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS);
            Stream.of(communicators).filter(Objects::nonNull).forEach(joined -> joined.close(patience));
        } finally {
            root.close();
        }
    }

    /** What a rank does. */
    @FunctionalInterface
    interface Step<T> {
        T take(int rank) throws Exception;
    }

    Communicator communicator(int rank) {
        return communicators[rank];
    }

    /** Has all ranks take a step at the same time. Returns what each gave, once all have. */
    <T> List<T> run(Step<T> step) throws InterruptedException, ExecutionException, TimeoutException {
        List<Future<T>> all = new ArrayList<>();
        for (int rank = 0; rank < communicators.length; rank++) {
            int self = rank;
            all.add(threads.submit(() -> step.take(self)));
        }
        List<T> found = new ArrayList<>();
        for (Future<T> each : all) {
            found.add(each.get(patience.toMillis(), TimeUnit.MILLISECONDS));
        }
        return found;
    }

    /** Threads of runtimes and bootstraps in this JVM. */
    static long count() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(OWN_THREADS)).count();
    }

    @Override
    public void close() {
        try {
            run(rank -> communicator(rank).close(patience));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("a rank does not close", e);
        } finally {
            threads.shutdown();
            root.close();
        }
    }
}
