/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.bootstrap.BootstrapRoot;
import io.proxyrt.collectives.Collectives;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/collectives.md does what the page says, and is what the page shows. */
class TrainingStepTest {
    private static final Path BASE = Path.of(System.getProperty("basedir", "."));
    private static final Path PAGE = BASE.resolve("../docs/collectives.md");
    private static final Path SOURCE = BASE.resolve("src/test/java/io/proxyrt/example/TrainingStep.java");
    private static final int RANKS = 2;

    @TempDir
    private Path directory;

    @Test
    void shouldTrain() throws Exception {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.DIRECTORY, directory.toString()).build();
        try (BootstrapRoot root = BootstrapRoot.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RANKS)) {
            List<CompletableFuture<Void>> ranks = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                int own = rank;
                CompletableFuture<Void> ended = new CompletableFuture<>();
                ranks.add(ended);
                Thread.ofPlatform().daemon().start(() -> {
                    try (Communicator comm = Communicator.init(root.id(), own, RANKS, config)) {
                        train(comm);
                        ended.complete(null);
                    } catch (Throwable e) {
                        ended.completeExceptionally(e);
                    }
                });
            }
            for (CompletableFuture<Void> rank : ranks) {
                rank.get(2, TimeUnit.MINUTES);
            }
        }
    }

    private static void train(Communicator comm) throws Exception {
        List<MemorySegment> gradients = IntStream.range(1, 5).mapToObj(i -> floats(comm, 100 * i, comm.rank() + i))
                .toList();
        TrainingStep step = new TrainingStep(comm, gradients, floats(comm, 2000, comm.rank()));
        MemorySegment routed = step.route();
        assertEquals(0, routed.getAtIndex(ValueLayout.JAVA_FLOAT, 0));
        assertEquals(1, routed.getAtIndex(ValueLayout.JAVA_FLOAT, 1999));
        step.average().get(1, TimeUnit.MINUTES);
        for (int i = 0; i < gradients.size(); i++) {
            assertEquals(i + 1.5f, gradients.get(i).getAtIndex(ValueLayout.JAVA_FLOAT, 7));
        }
        assertEquals(comm.rank() == 0 ? 3 : 2, step.loss(comm.rank() + 1));
    }

    private static MemorySegment floats(Communicator comm, int count, float value) {
        MemorySegment memory = comm.allocate((long) count * Float.BYTES).segment();
        IntStream.range(0, count).forEach(i -> memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value));
        return memory;
    }

    @Test
    void shouldBeWhatThePageShows() throws Exception {
        String source = Files.readString(SOURCE);
        String program = source.substring(source.indexOf("package ")).strip();
        assertTrue(Files.readString(PAGE).contains("```java\n" + program + "\n```"), "docs/collectives.md shows it");
    }

    @Test
    void shouldNameEveryCall() throws Exception {
        String page = Files.readString(PAGE);
        for (Method call : Collectives.class.getMethods()) {
            assertTrue(page.contains("`" + call.getName() + "`"), () -> "docs/collectives.md has no " + call.getName());
        }
    }
}
