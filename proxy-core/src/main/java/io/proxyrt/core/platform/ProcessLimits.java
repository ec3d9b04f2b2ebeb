/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What this process may use, as {@code ulimit} says. */
public final class ProcessLimits {
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String LOCKED = "Max locked memory";

    private ProcessLimits() {
    }

    /**
     * How much memory it may lock, which registering memory with an RDMA device does.
     *
     * @return bytes, or {@code unlimited}; empty if the system does not say
     */
    public static String lockedMemory() {
        try (Stream<String> lines = Files.lines(LIMITS)) {
            return lines.filter(line -> line.startsWith(LOCKED)).findFirst()
                    .map(line -> line.substring(LOCKED.length()).strip().split("\\s+")[0]).orElse("");
        } catch (IOException | UncheckedIOException e) {
            return "";
        }
    }
}
