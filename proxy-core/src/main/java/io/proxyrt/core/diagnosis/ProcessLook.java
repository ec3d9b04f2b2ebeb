/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.directory.RuntimeDirectory;
import io.proxyrt.core.platform.ThreadName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the system tells of a process that has runtimes, and may be stopped.
 *
 * @param state      a letter of the system's: R runs, S sleeps, T is stopped, and others
 * @param cpuSeconds that its threads took
 * @param threads    of it, as many as could be read
 */
public record ProcessLook(char state, double cpuSeconds, List<Task> threads) {
    /** Of /proc/PID/stat, which counts in hundredths of a second on all of Linux. */
    private static final double TICKS_PER_SECOND = 100;
    private static final double NS_PER_SECOND = 1e9;
    private static final double MUCH_CPU = 0.1;
    private static final int UTIME = 11;
    private static final int WAIT = 1;
    /** The JVM's own, which work beside the program. */
    private static final Pattern OF_JVM = Pattern.compile("(?:C1|C2|GC|G1|VM) .*");

    /** Copies. */
    public ProcessLook {
        threads = List.copyOf(threads);
    }

    /**
     * A thread.
     *
     * @param id         of the system's
     * @param name       as the system has it: 15 bytes at most
     * @param cpuSeconds that it took
     * @param waitNs     for how long it has waited for a CPU; 0 where the system does not tell
     */
    public record Task(int id, String name, double cpuSeconds, long waitNs) {
    }

    /**
     * Looks at the process of a runtime.
     *
     * @param runtime of this host
     * @return empty if it is gone, is of another PID namespace, or the system does not tell
     */
    public static Optional<ProcessLook> at(RuntimeDirectory.Entry runtime) {
        if (!runtime.isAlive() || !runtime.isVisible()) {
            return Optional.empty();
        }
        Path process = process(runtime.pid());
        try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
            String[] fields = fields(process);
            List<Task> threads = new ArrayList<>();
            tasks.forEach(task -> task(task).ifPresent(threads::add));
            return Optional.of(new ProcessLook(fields[0].charAt(0), cpuSeconds(fields), threads));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Counts the descriptors that a process of this user has open.
     *
     * @param pid of it
     * @return empty if it is gone, or the system does not tell
     */
    public static Optional<Long> descriptors(long pid) {
        try (Stream<Path> open = Files.list(process(pid).resolve("fd"))) {
            return Optional.of(open.count());
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private static Path process(long pid) {
        return Path.of("/proc", Long.toString(pid));
    }

    /** Empty if it has ended meanwhile. */
    private static Optional<Task> task(Path task) {
        try {
            return Optional.of(new Task(Integer.parseInt(task.getFileName().toString()),
                    Files.readString(task.resolve("comm")).strip(), cpuSeconds(fields(task)), waitNs(task)));
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    /** What comes behind the name, which may have blanks and brackets. */
    private static String[] fields(Path task) throws IOException {
        String stat = Files.readString(task.resolve("stat"));
        return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    }

    private static double cpuSeconds(String... fields) {
        return (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[UTIME + 1])) / TICKS_PER_SECOND;
    }

    private static long waitNs(Path task) throws IOException {
        Path account = task.resolve("schedstat");
        return Files.exists(account) ? Long.parseLong(Files.readString(account).split(" ")[WAIT]) : 0;
    }

    /**
     * Whether a signal or a debugger has stopped it.
     *
     * @return true until it is continued
     */
    public boolean isStopped() {
        return state == 'T' || state == 't';
    }

    /**
     * What the proxy threads of all its runtimes took.
     *
     * @return CPU seconds
     */
    public double proxySeconds() {
        return threads.stream().filter(task -> ThreadName.isOfProxy(task.name)).mapToDouble(Task::cpuSeconds).sum();
    }

    /** Whether a thread of its own drives the progress agent of a rank. */
    boolean drives(int rank) {
        return threads.stream().anyMatch(task -> ThreadName.isNameOf(task.name, "proxy-progress-" + rank)
                || ThreadName.isNameOf(task.name, "proxy-shared-" + rank));
    }

    /**
     * The largest part of a time that one of the threads, but the JVM's, waited for a CPU since an earlier look; 0 if
     * all together had much of one, as on a busy machine, where they go on.
     */
    double noCpuSince(ProcessLook earlier, long elapsedNs) {
        if ((cpuSeconds - earlier.cpuSeconds) * NS_PER_SECOND >= MUCH_CPU * elapsedNs) {
            return 0;
        }
        Map<Integer, Long> before = new HashMap<>();
        earlier.threads.forEach(task -> before.put(task.id, task.waitNs));
        double most = 0;
        for (Task task : threads) {
            Long then = before.get(task.id);
            if (then != null && !OF_JVM.matcher(task.name).matches()) {
                most = Math.max(most, (double) (task.waitNs - then) / elapsedNs);
            }
        }
        return Math.min(1, most);
    }
}
