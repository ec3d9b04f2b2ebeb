/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.spi.ServiceEndpoint;

/** The service thread's duty: move frames, then drive what is pending. It parks in the endpoint's selector. */
public final class ServiceAgent implements Agent {
    private static final long PENDING_PARK_NS = 200_000;

    private final ServiceEndpoint endpoint;
    private final ConnectionService connections;
    private final Counters counters;
    private final String name;

    /**
     * An agent that nobody runs yet.
     *
     * @param rank        for the name
     * @param endpoint    owned by this agent from now on
     * @param connections gets the calls
     * @param counters    of the runtime
     */
    public ServiceAgent(int rank, ServiceEndpoint endpoint, ConnectionService connections, Counters counters) {
        this.name = "proxy-service-" + rank;
        this.endpoint = endpoint;
        this.connections = connections;
        this.counters = counters;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork() {
        int count = endpoint.doWork() + connections.doWork();
        if (count > 0) {
            counters.set(Counter.RPC_PEERS, endpoint.peers());
        }
        return count;
    }

    @Override
    public void park(long maxNs) {
        endpoint.park(connections.hasPending() ? Math.min(maxNs, PENDING_PARK_NS) : maxNs);
    }

    @Override
    public boolean isWoken() {
        return !connections.hasPending();
    }

    @Override
    public void wakeup(Thread runner) {
        endpoint.wakeup(runner);
    }

    @Override
    public void onClose() {
        endpoint.onClose();
    }
}
