/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** The JVM's compiler threads, as the system sees them: what they take of a CPU, measured ranks do not get. */
final class CompilerThreads {
    private static final Path OWN = Path.of("/proc/self/task");

    private final Path tasks;

    CompilerThreads() {
        this(OWN);
    }

    /** Of a folder in the form of {@code /proc/self/task}. */
    CompilerThreads(Path tasks) {
        this.tasks = tasks;
    }

    /** Time on CPUs of all of them so far, in nanoseconds; 0 where the system does not tell. */
    long cpuNs() {
        if (!Files.isDirectory(tasks)) {
            return 0;
        }
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(tasks)) {
            for (Path thread : threads) {
                sum += cpuNs(thread);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot list threads in " + tasks, e);
        }
        return sum;
    }

    private static long cpuNs(Path thread) {
        try {
            String name = Files.readString(thread.resolve("comm"));
            boolean isCompiler = name.startsWith("C1 Compiler") || name.startsWith("C2 Compiler");
            return isCompiler ? Long.parseLong(Files.readString(thread.resolve("schedstat")).split(" ")[0]) : 0;
        } catch (IOException | NumberFormatException e) {
            // Threads end while one looks, and compiler threads too; some systems keep no such account.
            return 0;
        }
    }
}
