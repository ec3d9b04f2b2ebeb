/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.platform.Platform;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StreamThreadTest {
    private static final String NAME = "proxy-of-none";
    private static final Duration LONG = Duration.ofMinutes(2);

    private final Platform platform = Platform.find();

    /** The progress thread starts it by the first copy, and may be bound to a CPU on which it never rests. */
    @Test
    void shouldShareNeitherCpusNorPriorityWithTheThreadThatStartsIt() throws Exception {
        BitSet all = platform.processCpus();
        assumeTrue(all.cardinality() > 1, "there is but one CPU");
        CompletableFuture<String> seen = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> seen.completeAsync(this::startedByABoundThread, Runnable::run)).join();

        assertEquals("policy 0, CPUs " + line(Path.of("/proc/self/status"), "Cpus_allowed_list:"), seen.get());
    }

    private String startedByABoundThread() {
        BitSet one = new BitSet();
        one.set(platform.processCpus().nextSetBit(0));
        platform.bindThread(one);
        try (HostDevice device = new HostDevice(0); DeviceStream stream = device.stream(NAME)) {
            DeviceMemory word = device.allocate(Long.BYTES);
            withPriority(() -> assertEquals(1, stream.write(word, 0, 1)));
            stream.synchronize(LONG);
            return threadOfStream();
        }
    }

    /** Where that is not permitted, there is none to be inherited. */
    private void withPriority(Runnable action) {
        try {
            platform.realtimePriority(1);
        } catch (ProxyException e) {
            assertEquals(e.getMessage(), assertThrows(ProxyException.class, () -> platform.realtimePriority(1))
                    .getMessage());
        }
        action.run();
    }

    private static String threadOfStream() {
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            List<Path> found = tasks.filter(task -> line(task.resolve("comm"), "").equals(NAME)).toList();
            assertEquals(1, found.size());
            String[] fields = line(found.getFirst().resolve("stat"), "").replaceAll(".*\\) ", "").split(" ");
            return "policy " + fields[41 - 3] + ", CPUs " + line(found.getFirst().resolve("status"),
                    "Cpus_allowed_list:");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A thread may end while one looks. */
    private static String line(Path file, String start) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(start)).findFirst().orElse("").replace(start, "").strip();
        } catch (IOException | UncheckedIOException e) {
            return "";
        }
    }
}
