/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** How much memory a test may take without driving the system, or its container, into a corner. */
public final class AvailableMemory {
    private static final Path MEMINFO = Path.of("/proc/meminfo");
    private static final String FIELD = "MemAvailable:";

    private AvailableMemory() {
    }

    /**
     * What the system says is available, within the limit of the container; what is free where it does not say.
     *
     * @return bytes
     */
    public static long bytes() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long free = system.getFreeMemorySize();
        try (Stream<String> lines = Files.lines(MEMINFO)) {
            long available = lines.filter(line -> line.startsWith(FIELD))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(free);
            return Math.min(available, Math.max(free, system.getTotalMemorySize() / 2));
        } catch (IOException | UncheckedIOException e) {
            return free;
        }
    }
}
