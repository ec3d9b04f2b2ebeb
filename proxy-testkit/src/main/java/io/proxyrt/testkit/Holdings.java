/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What this process holds of the system, to be compared before and after. Linux only.
 *
 * @param descriptors what each open file descriptor is of, but for files of the JDK, sorted
 * @param mappings    mapped files and shared memory of proxyrt
 * @param threads     of the JVM whose name begins with {@code proxy}, but for the process's compiler of kernels, which
 *                    ends when it has been idle for a while
 */
public record Holdings(List<String> descriptors, List<String> mappings, List<String> threads) {
    private static final String KERNELS = "proxyrt-kernels";

    /**
     * What it holds now.
     *
     * @return a look
     */
    public static Holdings now() {
        return new Holdings(openDescriptors(), openMappings(), Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName).filter(name -> name.startsWith("proxy") && !name.equals(KERNELS))
                .sorted().toList());
    }

    /**
     * Memory of direct buffers. A thread of the JDK keeps one for what it reads and writes, so that this is never
     * quite the same twice.
     *
     * @return bytes
     */
    public static long directBytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    private static List<String> openDescriptors() {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.map(Holdings::target).filter(target -> !target.isEmpty() && !target.startsWith("/proc/")
                    && !target.endsWith(".jar") && !target.endsWith("/modules"))
                    .map(target -> target.replaceAll("\\[\\d+]", "")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Empty if it was closed meanwhile, such as the one that lists. */
    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return "";
        }
    }

    private static List<String> openMappings() {
        try (Stream<String> all = Files.lines(Path.of("/proc/self/maps"))) {
            return all.filter(line -> line.contains("proxyrt") && !line.contains(".jar"))
                    .map(line -> line.substring(line.indexOf('/'))).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
