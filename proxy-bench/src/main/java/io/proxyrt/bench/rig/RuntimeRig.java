/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.rig;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.runtime.ProxyState;
import io.proxyrt.core.runtime.ServiceClient;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.testkit.ScriptedTransport;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

/** The CPU time of a runtime's threads, by the beginning of their names, while they have little to do. */
final class RuntimeRig {
    static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    static final InitRequest INIT = new InitRequest(ScriptedTransport.ID, Direction.SEND, 3);

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final String ALL = "proxy-";
    private static final int RANKS = 8;

    private RuntimeRig() {
    }

    /** A whole runtime that has nothing to do: agents, service, transports. */
    static Measurements idle(RigArguments arguments) throws InterruptedException {
        Measurements found = new Measurements();
        try (ProxyState state = ProxyState.builder().config(config(arguments.text("mode"))).start()) {
            TimeUnit.NANOSECONDS.sleep(arguments.nanos("warmup"));
            found.add("cpu_pct", percent(ALL, arguments.nanos("seconds")));
            found.add("threads", ids(ALL).count());
            found.add("transports", state.transports().size());
        }
        return found;
    }

    /** The service thread while a Setup cannot be answered. */
    static Measurements pending(RigArguments arguments) throws InterruptedException {
        ScriptedTransport transport = ScriptedTransport.stuck();
        transport.pendingTurns(Integer.MAX_VALUE);
        Measurements found = new Measurements();
        try (ProxyState state = start(0, transport); ServiceClient client = state.client(state.serviceAddress())) {
            long id = client.callBlocking(0, INIT, Rank.PATIENCE).connectionId();
            CompletableFuture<?> setup = client.callAsync(id, new SetupRequest(NOTHING));
            TimeUnit.NANOSECONDS.sleep(arguments.nanos("warmup"));
            found.add("cpu_pct", percent("proxy-service-", arguments.nanos("seconds")));
            if (state.counters().get(Counter.RPC_PENDING) != 1 || setup.isDone()) {
                throw new IllegalStateException("the Setup was not pending");
            }
            transport.pendingTurns(0);
            state.await(setup, Rank.PATIENCE, "set-up");
        }
        return found;
    }

    /** One of a made-up job, whose transport has to wait in each set-up as often as it is told. */
    static ProxyState start(int rank, ScriptedTransport transport) {
        return ProxyState.builder().rank(rank, RANKS).job(Rank.SECRET, "bench")
                .config(config(ThreadingMode.DEDICATED.name())).transport(transport).start();
    }

    private static ProxyConfig config(String mode) {
        return RigArguments.config(Map.of()).set(CoreOptions.THREADING, ThreadingMode.valueOf(mode)).build();
    }

    /** Looks on for so long; returns per cent of one CPU. */
    private static double percent(String prefix, long durationNs) throws InterruptedException {
        long wall = System.nanoTime();
        long cpu = cpuNs(prefix);
        TimeUnit.NANOSECONDS.sleep(durationNs);
        cpu = cpuNs(prefix) - cpu;
        return 100.0 * cpu / (System.nanoTime() - wall);
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
