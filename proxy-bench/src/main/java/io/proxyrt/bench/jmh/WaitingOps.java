/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bench.jmh;

import io.proxyrt.bench.process.TemporaryFolder;
import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.op.OpsPoster;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.PooledBuffer;
import io.proxyrt.testkit.ScriptedTransport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A progress agent that its caller drives, with ops under way that can't move: their kernels have written nothing. */
final class WaitingOps implements AutoCloseable {
    private static final int STEPS = 16;
    private static final int MAX_PASSES = 100_000;

    private final TemporaryFolder folder =
            TemporaryFolder.in(TemporaryFolder.TEMPORARY, "proxyrt-bench-");
    private final Counters counters;
    private final OpsPool pool;
    private final OpsPoster poster;
    private final ProgressAgent agent;
    private final HostDevice device = new HostDevice(0);
    private final ConnectionMemory memory;
    private final List<PooledBuffer> control = new ArrayList<>();
    private final Map<Long, ProxyConnection> connections = new HashMap<>();

    WaitingOps(int ops) {
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.LANES, 1)
                .set(CoreOptions.LANE_CAPACITY, Math.max(2, Integer.highestOneBit(2 * ops - 1))).build();
        counters = Counters.create(folder.path().resolve("counters"), "bench", 0, 2);
        memory = new ConnectionMemory(device, config, counters.memory());
        pool = OpsPool.create(folder.path().resolve("ops"), 0, config);
        agent = new ProgressAgent(0, pool, connections::get, counters, new AsyncResult(counters), config,
                System::nanoTime, _ -> { });
        poster = pool.poster();
        ScriptedTransport transport = new ScriptedTransport(WaitingProgress::advance);
        for (int i = 1; i <= ops; i++) {
            post(connection(transport, i), i);
        }
        poster.post();
        settle(ops);
    }

    int pass() {
        return agent.doWork();
    }

    @Override
    public void close() {
        agent.abort();
        agent.doWork();
        poster.close();
        pool.close();
        control.forEach(PooledBuffer::close);
        memory.close();
        device.close();
        counters.close();
        folder.close();
    }

    private ProxyConnection connection(ScriptedTransport transport, long id) {
        ProxyConnection connection = new ProxyConnection(id, transport, Direction.SEND, 1);
        PooledBuffer words = memory.control(connection);
        control.add(words);
        connection.resources(new RecvMem(words.memory().segment(), words.offset() + ConnectionMemory.RECV_MEM_OFFSET));
        connection.state(ConnectionState.SETUP_DONE);
        connection.state(ConnectionState.CONNECTED);
        connections.put(id, connection);
        return connection;
    }

    private void post(ProxyConnection connection, long number) {
        poster.append(number << 1).connection(connection.id()).nsteps(STEPS).sliceSteps(1).chunkSteps(1).nbytes(1024)
                .peer(1);
    }

    /** Passes until all ops are active and none moves any more. */
    private void settle(int ops) {
        int passes = 0;
        while (agent.doWork() > 0 || counters.get(Counter.ARGS_ACTIVE) < ops) {
            if (++passes > MAX_PASSES) {
                throw new IllegalStateException(counters.get(Counter.ARGS_ACTIVE) + " of " + ops + " ops are active");
            }
        }
    }
}
