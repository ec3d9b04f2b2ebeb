/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Ranks of a test with runtimes of their own, as threads of this JVM. */
public final class InProcessRanks {
    /** Longer than anything takes, on a busy machine too. */
    public static final Duration TIMEOUT = Duration.ofMinutes(2);

    private InProcessRanks() {
    }

    /** What one rank does. */
    @FunctionalInterface
    public interface Body {
        void run(RankRuntime runtime) throws Exception;
    }

    /** What a runtime that is closed in no time removes later is not the directory itself: JUnit removes that, too. */
    public static ProxyConfig.Builder config(Path directory, ThreadingMode mode) {
        return ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.resolve("runtimes").toString())
                .set(CoreOptions.THREADING, mode).set("p2p.host", "1").set(CoreOptions.BUFFER_BYTES, 256L << 10);
    }

    public static void run(int nRanks, ProxyConfig config, Body body) throws Exception {
        for (Throwable failure : failures(nRanks, config, body)) {
            if (failure != null) {
                throw new AssertionError("a rank failed", failure);
            }
        }
    }

    /** By rank; null for a rank that did well. */
    public static List<Throwable> failures(int nRanks, ProxyConfig config, Body body) throws Exception {
        try (BootstrapRoot root = Jobs.root(nRanks)) {
            List<CompletableFuture<Void>> ranks = new ArrayList<>();
            for (int rank = 0; rank < nRanks; rank++) {
                ranks.add(start(root.id(), rank, nRanks, config, body));
            }
            List<Throwable> failures = new ArrayList<>();
            for (CompletableFuture<Void> rank : ranks) {
                failures.add(failure(rank));
            }
            return failures;
        }
    }

    private static CompletableFuture<Void> start(UniqueId id, int rank, int nRanks, ProxyConfig config, Body body) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rank-" + rank).start(() -> {
            try (RankRuntime runtime = RankRuntime.join(id, rank, nRanks, config)) {
                body.run(runtime);
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        return done;
    }

    private static Throwable failure(CompletableFuture<Void> rank) throws Exception {
        try {
            rank.get(2 * TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            return null;
        } catch (ExecutionException e) {
            return e.getCause();
        }
    }
}
