/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device.host;

import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceLimits;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** What this computer is, as Linux says; other systems are not asked. */
final class HostHardware {
    /** As most GPUs have. */
    private static final int MAX_BLOCK_THREADS = 1024;

    private static final Path CPUS = Path.of("/proc/cpuinfo");
    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final Path NODES = Path.of("/sys/devices/system/node/online");
    private static final int MAX_SHARED_BYTES = 1 << 16;
    /** Read once for all ranks of a process: with many CPUs the first file is long. */
    private static final String MODEL = field(CPUS, "model name");
    private static final String TOTAL = field(MEMORY, "MemTotal");
    private static final boolean HAS_ONE_NODE = field(NODES, "").equals("0");

    private HostHardware() {
    }

    static DeviceAttributes read(long pageBytes) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new DeviceAttributes("host", MODEL, System.getProperty("os.arch"), "",
                HAS_ONE_NODE ? 0 : -1, TOTAL.isEmpty() ? 0 : Long.parseLong(TOTAL.split(" ")[0]) << 10,
                new DeviceLimits(processors, 1, processors, MAX_BLOCK_THREADS, MAX_SHARED_BYTES, pageBytes));
    }

    /** What stands behind a colon, or all of the first line if the field has no name. No interrupt closes a reader. */
    private static String field(Path file, String name) {
        try (BufferedReader in = new BufferedReader(new FileReader(file.toFile(), StandardCharsets.UTF_8))) {
            return in.lines().filter(line -> line.startsWith(name)).findFirst()
                    .map(line -> line.replaceAll(".*:", "")).orElse("").strip();
        } catch (IOException | UncheckedIOException e) {
            return "";
        }
    }
}
