/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.testkit.Extent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The command is asked to end, as by Ctrl-C, while runtimes of its own process are at work. */
@Tag(Extent.ONLY_FULL)
class SignalTest {
    private static final Duration LONG = Duration.ofMinutes(3);
    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"threading=invoker", "threading=dedicated", "threading=shared", "coll.transport=NET",
        "shm.segment=file", "rpc.listen=unix", "uds.namespace=path", "uds.sockets=native"})
    void shouldLeaveNothingOfRanksInItsProcess(String setting) throws Exception {
        try (PerfProcess perf = start("perf", "all_reduce", "--in-process", "--ranks", "3", "-b", "256K", "-e", "256K",
                "-n", "100000000", "-w", "0", "--jit-warmup", "0", "--set", setting)) {
            perf.awaitOut(lines -> lines.stream().anyMatch(line -> line.contains("(elements)")));
            signal(perf);
            assertEquals(128 + 2, perf.await(LONG), perf::toString);
        }
        assertEquals(List.of(), files());
    }

    /** At any moment from its runtime's first folder on. */
    @RepeatedTest(5)
    void shouldLeaveNothingOfARuntimeThatStarts() throws Exception {
        try (PerfProcess info = start("info")) {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (files().size() < 3 && info.process().isAlive() && System.nanoTime() - deadline < 0) {
                Thread.onSpinWait();
            }
            signal(info);
            info.await(LONG);
        }
        assertEquals(List.of(), files());
    }

    private PerfProcess start(String... arguments) throws IOException {
        return new PerfProcess(folder.resolve("runtimes"), Map.of("PROXYRT_SHM_DIRECTORY", folder.toString(),
                "PROXYRT_RPC_DIRECTORY", folder.toString(), "PROXYRT_UDS_DIRECTORY", folder.toString()), arguments);
    }

    private static void signal(PerfProcess perf) throws Exception {
        new ProcessBuilder("kill", "-INT", Long.toString(perf.process().pid())).start().waitFor();
    }

    /** While another thread adds and removes some. */
    private List<Path> files() throws IOException {
        List<Path> all = new ArrayList<>();
        List<Path> folders = new ArrayList<>(List.of(folder));
        while (!folders.isEmpty()) {
            try (Stream<Path> files = Files.list(folders.removeLast())) {
                for (Path file : files.toList()) {
                    all.add(file);
                    if (Files.isDirectory(file)) {
                        folders.add(file);
                    }
                }
            } catch (java.nio.file.NoSuchFileException | java.io.UncheckedIOException e) {
                continue;
            }
        }
        return all;
    }
}
