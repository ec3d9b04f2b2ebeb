/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.diagnosis;

import io.proxyrt.core.diagnosis.RankObservation.Process;
import io.proxyrt.core.directory.RuntimeDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the system tells of a process of this user.
 *
 * @param process    whether it runs; also where the system does not tell
 * @param hasThreads whether a thread of its own drives a progress agent
 * @param waitNs     by thread: for how long it has waited for a CPU
 */
record ProcessTasks(Process process, boolean hasThreads, Map<String, Long> waitNs) {
    /** As threads of runtimes are called, whole or cut. */
    private static final Pattern DRIVES = Pattern.compile("(?:proxy-|prx-)?(?:prog|share).*");
    /** The JVM's own, which work beside the program. */
    private static final Pattern OF_JVM = Pattern.compile("(?:C1|C2|GC|G1|VM) .*");
    private static final int WAIT_FIELD = 1;

    static ProcessTasks of(RuntimeDirectory.Entry runtime) {
        if (!runtime.isAlive() || !runtime.isVisible()) {
            return new ProcessTasks(runtime.isAlive() ? Process.RUNNING : Process.DEAD, false, Map.of());
        }
        Path process = Path.of("/proc", Long.toString(runtime.pid()));
        boolean isDriven = false;
        Map<String, Long> waitNs = new HashMap<>();
        for (Path task : tasks(process)) {
            String name = text(task.resolve("comm")).strip();
            isDriven |= DRIVES.matcher(name).matches();
            if (!OF_JVM.matcher(name).matches()) {
                waitNs.put(task.getFileName().toString(), waitNs(task));
            }
        }
        return new ProcessTasks(isStopped(process) ? Process.STOPPED : Process.RUNNING, isDriven, waitNs);
    }

    /** The largest part of a time that one of the threads waited for a CPU since an earlier look. */
    double noCpuSince(ProcessTasks earlier, long elapsedNs) {
        double most = 0;
        for (Map.Entry<String, Long> thread : waitNs.entrySet()) {
            Long before = earlier.waitNs.get(thread.getKey());
            if (before != null && elapsedNs > 0) {
                most = Math.max(most, (double) (thread.getValue() - before) / elapsedNs);
            }
        }
        return Math.min(1, most);
    }

    private static List<Path> tasks(Path process) {
        try (Stream<Path> tasks = Files.list(process.resolve("task"))) {
            return tasks.toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Behind the name, which may have blanks and brackets. */
    private static boolean isStopped(Path process) {
        String stat = text(process.resolve("stat"));
        int end = stat.lastIndexOf(')') + 2;
        return end > 1 && end < stat.length() && (stat.charAt(end) == 'T' || stat.charAt(end) == 't');
    }

    private static long waitNs(Path task) {
        String[] fields = text(task.resolve("schedstat")).split(" ");
        try {
            return fields.length > WAIT_FIELD ? Long.parseLong(fields[WAIT_FIELD]) : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Empty if it is gone, or the system does not tell. */
    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
