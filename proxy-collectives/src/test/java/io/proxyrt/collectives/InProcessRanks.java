/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs the ranks of a test as threads of this JVM, each with a runtime of its own. */
final class InProcessRanks {
    private static final long TIMEOUT_S = 600;

    private InProcessRanks() {
    }

    /** What one rank does. */
    @FunctionalInterface
    interface Body {
        void run(Communicator comm) throws Exception;
    }

    /** Over the network, though all are in one process. */
    static ProxyConfig.Builder config(Path directory, ThreadingMode mode) {
        return config(directory, mode, "NET");
    }

    /** What a runtime that is closed in no time removes later is not the directory itself: JUnit removes that, too. */
    static Path runtimes(Path directory) {
        return directory.resolve("runtimes");
    }

    static ProxyConfig.Builder config(Path directory, ThreadingMode mode, String transport) {
        return ProxyConfig.builder().environment(Map.of()).set(CoreOptions.DIRECTORY, runtimes(directory).toString())
                .set(CoreOptions.THREADING, mode).set(CollectivesOptions.TRANSPORT, transport)
                .set(CoreOptions.BUFFER_BYTES, 256L << 10).set(CollectivesOptions.TIMEOUT, Duration.ofSeconds(20));
    }

    static void run(int nRanks, ProxyConfig config, Body body) throws Exception {
        for (Throwable failure : failures(nRanks, config, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    /** By rank; null for a rank that did well. */
    static List<Throwable> failures(int nRanks, ProxyConfig config, Body body) throws Exception {
        return failures(Collections.nCopies(nRanks, config), body);
    }

    /** By rank; null for a rank that did well. */
    static List<Throwable> failures(List<ProxyConfig> configs, Body body) throws Exception {
        return outcomes(configs, comm -> {
            body.run(comm);
            comm.proxy().audit();
            comm.barrier();
        });
    }

    /** By rank; null for a rank that did well. No rank waits for the others at the end. */
    static List<Throwable> outcomes(List<ProxyConfig> configs, Body body) throws Exception {
        int nRanks = configs.size();
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                nRanks)) {
            List<CompletableFuture<Void>> ranks = new ArrayList<>();
            for (int r = 0; r < nRanks; r++) {
                ranks.add(start(root, r, nRanks, configs.get(r), body));
            }
            List<Throwable> failures = new ArrayList<>();
            for (CompletableFuture<Void> rank : ranks) {
                failures.add(failure(rank));
            }
            return failures;
        }
    }

    private static CompletableFuture<Void> start(BootstrapRoot root, int rank, int nRanks, ProxyConfig config,
            Body body) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rank-" + rank).start(() -> {
            try (Communicator comm = Communicator.init(root.id(), rank, nRanks, config)) {
                body.run(comm);
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        return done;
    }

    private static Throwable failure(CompletableFuture<Void> rank) throws InterruptedException, TimeoutException {
        try {
            rank.get(TIMEOUT_S, TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }
}
