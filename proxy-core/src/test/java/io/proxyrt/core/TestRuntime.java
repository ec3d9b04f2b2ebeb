/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.Option;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.AsyncResult;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.op.OpsPool;
import io.proxyrt.core.progress.ConnectionLookup;
import io.proxyrt.core.progress.ConnectionState;
import io.proxyrt.core.progress.ProgressAgent;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyTransport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The inner parts of a runtime, put together by hand and driven by the test. */
public final class TestRuntime implements AutoCloseable {
    private final ProxyConfig config;
    private final Counters counters;
    private final OpsPool pool;
    private final AsyncResult asyncResult;
    private final ProgressAgent progress;
    private final Map<Long, ProxyConnection> connections = new HashMap<>();
    /** The clock of the progress agent. */
    public long nowNs = 1;
    /** Of how many ops transports were told, time by time. */
    public final List<Integer> polls = new ArrayList<>();

    public TestRuntime(Path directory) {
        this(directory, Map.of(), null);
    }

    /** With connections that the test makes. */
    public TestRuntime(Path directory, Map<Option<?>, String> options, ConnectionLookup lookup) {
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of()).set(CoreOptions.LANES, 2)
                .set(CoreOptions.LANE_CAPACITY, 64);
        options.forEach((option, value) -> builder.set(option.key(), value));
        config = builder.build();
        counters = Counters.create(directory.resolve("counters"), "test", 0, 4);
        pool = OpsPool.create(directory.resolve("ops"), 0, config);
        asyncResult = new AsyncResult(counters);
        progress = new ProgressAgent(0, pool, lookup == null ? connections::get : lookup, counters,
                asyncResult, config, () -> nowNs, polls::add);
    }

    public ProxyConfig config() {
        return config;
    }

    public Counters counters() {
        return counters;
    }

    public OpsPool pool() {
        return pool;
    }

    public AsyncResult asyncResult() {
        return asyncResult;
    }

    public ProgressAgent progress() {
        return progress;
    }

    /** A connection that is ready for ops. */
    public ProxyConnection connection(ProxyTransport transport, Direction direction, int peer) {
        ProxyConnection connection = unconnected(transport, direction, peer);
        connection.state(ConnectionState.CONNECTED);
        return connection;
    }

    /** A connection whose Setup is done. */
    public ProxyConnection unconnected(ProxyTransport transport, Direction direction, int peer) {
        ProxyConnection connection = new ProxyConnection(connections.size() + 1, transport, direction, peer);
        connection.state(ConnectionState.SETUP_DONE);
        connections.put(connection.id(), connection);
        return connection;
    }

    @Override
    public void close() {
        pool.close();
        counters.close();
    }
}
