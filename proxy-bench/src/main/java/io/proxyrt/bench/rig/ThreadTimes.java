/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** CPU time of this JVM's threads, by the beginning of their names. */
final class ThreadTimes {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private ThreadTimes() {
    }

    /** Looks on for so long; returns per cent of one CPU. */
    static double percent(String prefix, long durationNs) throws InterruptedException {
        long wall = System.nanoTime();
        long cpu = cpuNs(prefix);
        TimeUnit.NANOSECONDS.sleep(durationNs);
        cpu = cpuNs(prefix) - cpu;
        return 100.0 * cpu / (System.nanoTime() - wall);
    }

    static long count(String prefix) {
        return ids(prefix).count();
    }

    private static long cpuNs(String prefix) {
        return ids(prefix).map(id -> Math.max(0, THREADS.getThreadCpuTime(id))).sum();
    }

    private static LongStream ids(String prefix) {
        return Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith(prefix))
                .mapToLong(ThreadInfo::getThreadId);
    }
}
