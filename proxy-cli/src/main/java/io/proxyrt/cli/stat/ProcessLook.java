/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.stat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the system tells of a process of this user that may be stopped.
 *
 * @param state       a letter of the system's: R runs, S sleeps, T is stopped, and others
 * @param cpuSeconds  that its threads took
 * @param descriptors that it has open
 * @param byThread    CPU seconds of each of its proxy threads, by name
 */
public record ProcessLook(char state, double cpuSeconds, int descriptors, Map<String, Double> byThread) {
    /** Of /proc/PID/stat, which counts in hundredths of a second on all of Linux. */
    private static final double TICKS_PER_SECOND = 100;
    private static final int UTIME = 11;

    /**
     * Looks at a process.
     *
     * @param pid of it
     * @return empty if it is gone, or the system does not tell
     */
    public static Optional<ProcessLook> at(long pid) {
        Path process = Path.of("/proc", Long.toString(pid));
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            String[] fields = fields(process);
            return Optional.of(new ProcessLook(fields[0].charAt(0), cpuSeconds(fields), (int) descriptors.count(),
                    proxyThreads(process)));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Whether a signal or a debugger has stopped it.
     *
     * @return true until it is continued
     */
    public boolean isStopped() {
        return state == 'T' || state == 't';
    }

    private static Map<String, Double> proxyThreads(Path process) throws IOException {
        Map<String, Double> seconds = new TreeMap<>();
        try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
            for (Path task : tasks.toList()) {
                String name = Files.readString(task.resolve("comm")).strip();
                if (name.startsWith("proxy-") || name.startsWith("prx-")) {
                    seconds.merge(name, cpuSeconds(fields(task)), Double::sum);
                }
            }
        }
        return seconds;
    }

    /** What comes behind the name, which may have blanks and brackets. */
    private static String[] fields(Path task) throws IOException {
        String stat = Files.readString(task.resolve("stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    private static double cpuSeconds(String... fields) {
        return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1])) / TICKS_PER_SECOND;
    }
}
