/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.bootstrap.Bootstrap;
import io.proxyrt.bootstrap.BootstrapOptions;
import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.core.DataType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs of many ranks, all in one process, each with a runtime of its own that its caller drives. */
@Tag(Extent.SCALED)
class ManyRanksTest {
    private static final boolean IS_SHORT = Extent.asked() == Extent.SHORT;
    private static final int RANKS = IS_SHORT ? 64 : 1024;
    private static final int FAILING_RANKS = IS_SHORT ? 32 : 257;
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration JOIN = Duration.ofSeconds(IS_SHORT ? 5 : 30);
    /** Four of the bootstrap and two more in its tree, three of the service, and the UDS thread's socket. */
    private static final int DESCRIPTORS = 12;
    private static final int OF_ALL = 64;
    private static final int COUNT = 1000;
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final Path LIMITS = Path.of("/proc/self/limits");

    @TempDir
    Path directory;

    @Test
    void shouldAllReduceByTreesWithFewDescriptorsForEachRank() throws Exception {
        long before = descriptors();
        assumeTrue(before + (long) RANKS * DESCRIPTORS + OF_ALL < limit(), "the process may have few descriptors");
        InProcessRanks.run(RANKS, config().build(), comm -> {
            MemorySegment buffer = comm.allocate(COUNT * 4L).segment();
            for (int i = 0; i < COUNT; i++) {
                buffer.setAtIndex(JAVA_INT, i, i * (comm.rank() + 1));
            }
            comm.allReduce(buffer, buffer, COUNT, DataType.INT32, RedOp.SUM);
            comm.synchronize();
            for (int i = 0; i < COUNT; i++) {
                assertEquals(i * (RANKS * (RANKS + 1) / 2), buffer.getAtIndex(JAVA_INT, i));
            }
            comm.barrier();
            if (comm.rank() == 0) {
                long taken = descriptors() - before;
                assertTrue(taken <= (long) RANKS * DESCRIPTORS + OF_ALL, RANKS + " ranks have " + taken);
            }
        });
        assertTrue(descriptors() - before <= OF_ALL, "descriptors are left: " + (descriptors() - before));
    }

    @Test
    void shouldNameTheRankThatNeverComesToAllThatCame() throws Exception {
        int missing = FAILING_RANKS / 2;
        ProxyConfig config = config().set(BootstrapOptions.JOIN_TIMEOUT, JOIN).build();
        try (BootstrapRoot root = root()) {
            long begin = System.nanoTime();
            List<CompletableFuture<Void>> others = new ArrayList<>();
            for (int rank = 0; rank < FAILING_RANKS; rank++) {
                if (rank != missing) {
                    others.add(init(root, rank, config));
                }
            }
            for (CompletableFuture<Void> other : others) {
                ProxyException e = failure(other);
                assertEquals(ProxyResult.TIMEOUT, e.result(), e.getMessage());
                assertTrue(e.getMessage().contains("rank " + missing + " of " + FAILING_RANKS), e.getMessage());
            }
            assertTrue(System.nanoTime() - begin < JOIN.plus(PATIENCE).toNanos());
        }
    }

    @Test
    void shouldNameTheRankThatLeavesWhileTheOthersInit() throws Exception {
        int dying = FAILING_RANKS / 2;
        ProxyConfig config = config().build();
        try (BootstrapRoot root = root()) {
            List<CompletableFuture<Void>> others = new ArrayList<>();
            for (int rank = 0; rank < FAILING_RANKS; rank++) {
                if (rank != dying) {
                    others.add(init(root, rank, config));
                }
            }
            try (Bootstrap membership = Bootstrap.join(root.id(), dying, FAILING_RANKS, PATIENCE)) {
                membership.abort("it dies");
            }
            for (CompletableFuture<Void> other : others) {
                ProxyException e = failure(other);
                assertEquals(ProxyResult.REMOTE_ERROR, e.result(), e.getMessage());
                assertTrue(e.getMessage().contains("rank " + dying), e.getMessage());
            }
        }
    }

    private ProxyConfig.Builder config() {
        return InProcessRanks.config(directory, ThreadingMode.INVOKER, "SHM").set("proxyrt.coll.algo", "tree")
                .set(CollectivesOptions.TIMEOUT, PATIENCE).set(CoreOptions.CONNECT_TIMEOUT, PATIENCE)
                .set(BootstrapOptions.JOIN_TIMEOUT, PATIENCE);
    }

    private static BootstrapRoot root() {
        return BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), FAILING_RANKS);
    }

    private static CompletableFuture<Void> init(BootstrapRoot root, int rank, ProxyConfig config) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rank-" + rank).start(() -> {
            try (Communicator _ = Communicator.init(root.id(), rank, FAILING_RANKS, config)) {
                done.complete(null);
            } catch (Throwable t) {
                done.completeExceptionally(t);
            }
        });
        return done;
    }

    private static ProxyException failure(CompletableFuture<Void> rank) throws Exception {
        try {
            rank.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
            throw new AssertionError("a rank did not fail");
        } catch (ExecutionException e) {
            return assertInstanceOf(ProxyException.class, e.getCause());
        }
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(OPEN)) {
            return open.count();
        }
    }

    private static long limit() throws IOException {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.filter(line -> line.startsWith("Max open files")).map(line -> line.split("\\s{2,}")[1])
                    .mapToLong(soft -> "unlimited".equals(soft) ? Long.MAX_VALUE : Long.parseLong(soft)).findFirst()
                    .orElse(Long.MAX_VALUE);
        }
    }
}
