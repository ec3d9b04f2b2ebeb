/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.Subsystem;
import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.op.OpsPool;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;

/**
 * The service thread's duty: move frames, drive what is pending, and now and then look whether posters have died. It
 * parks in the endpoint's selector.
 */
public final class ServiceAgent implements Agent {
    private static final Logger LOGGER = Subsystem.PROXY.logger();
    private static final long TIDY_NS = 1_000_000_000;

    private final ServiceEndpoint endpoint;
    private final ConnectionService connections;
    private final PeerWatches watches;
    private final OpsPool pool;
    private final Runnable hostWatch;
    private final Counters counters;
    private final String name;
    private final long longestParkNs;
    private volatile List<String> abandoned = List.of();
    private long lastTidyNs = System.nanoTime();

    /**
     * An agent that no thread runs yet.
     *
     * @param rank        for the name
     * @param endpoint    owned by this agent from now on
     * @param connections gets the calls
     * @param watches     of the peers of connections
     * @param pool        whose lanes it takes back from dead processes
     * @param hostWatch   looks who shares the host
     * @param counters    of the runtime
     * @param longestPark for when another agent of its thread cannot end its sleep
     */
    public ServiceAgent(int rank, ServiceEndpoint endpoint, ConnectionService connections, PeerWatches watches,
            OpsPool pool, Runnable hostWatch, Counters counters, Duration longestPark) {
        this.name = "proxy-service-" + rank;
        this.endpoint = endpoint;
        this.connections = connections;
        this.watches = watches;
        this.pool = pool;
        this.hostWatch = hostWatch;
        this.counters = counters;
        this.longestParkNs = longestPark.toNanos();
    }

    /**
     * The calls that were pending when it closed. Any thread.
     *
     * @return a line each
     */
    public List<String> abandoned() {
        return abandoned;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork() {
        int count = endpoint.doWork() + connections.doWork() + watches.doWork();
        if (count > 0) {
            counters.set(Counter.RPC_PEERS, connections.peers());
        }
        tidy();
        return count;
    }

    @Override
    public void park(long maxNs) {
        endpoint.park(watches.parkNs(connections.parkNs(Math.min(maxNs, longestParkNs))));
    }

    @Override
    public boolean isWoken() {
        return true;
    }

    @Override
    public void wakeup(Thread runner) {
        endpoint.wakeup(runner);
    }

    @Override
    public void onClose() {
        abandoned = connections.abandon();
        watches.close();
        endpoint.onClose();
    }

    private void tidy() {
        long now = System.nanoTime();
        if (now - lastTidyNs >= TIDY_NS) {
            lastTidyNs = now;
            hostWatch.run();
            int lanes = pool.reap();
            if (lanes > 0) {
                LOGGER.warn("{}: took {} lanes of the ops pool back from processes that died", name, lanes);
            }
        }
    }
}
