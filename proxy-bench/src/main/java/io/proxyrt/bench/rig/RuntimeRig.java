/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.ProxyState;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The CPU time of a whole runtime that has nothing to do: agents, service, transports. */
final class RuntimeRig {
    private static final String THREADS = "proxy-";

    private final RigArguments arguments;
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();

    RuntimeRig(RigArguments arguments) {
        this.arguments = arguments;
    }

    Measurements measure() throws InterruptedException {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of())
                .set(CoreOptions.THREADING, ThreadingMode.valueOf(arguments.text("mode"))).build();
        Measurements found = new Measurements();
        try (ProxyState state = ProxyState.builder().config(config).start()) {
            TimeUnit.NANOSECONDS.sleep(arguments.nanos("warmup"));
            long wall = System.nanoTime();
            long cpu = cpuNs();
            TimeUnit.NANOSECONDS.sleep(arguments.nanos("seconds"));
            cpu = cpuNs() - cpu;
            wall = System.nanoTime() - wall;
            found.add("cpu_pct", 100.0 * cpu / wall);
            found.add("threads", runtimeThreads());
            found.add("transports", state.transports().size());
        }
        return found;
    }

    private long cpuNs() {
        long sum = 0;
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (isRuntimes(thread)) {
                sum += Math.max(0, threads.getThreadCpuTime(thread.getThreadId()));
            }
        }
        return sum;
    }

    private int runtimeThreads() {
        int count = 0;
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            count += isRuntimes(thread) ? 1 : 0;
        }
        return count;
    }

    private static boolean isRuntimes(ThreadInfo thread) {
        return thread != null && thread.getThreadName().startsWith(THREADS);
    }
}
