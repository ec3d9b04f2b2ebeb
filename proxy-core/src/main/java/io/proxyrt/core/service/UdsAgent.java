/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.agent.Agent;
import io.proxyrt.core.counters.Counter;
import io.proxyrt.core.counters.Counters;
import java.time.Duration;

/**
 * The UDS thread's duty, RCCL's {@code ncclProxyServiceUDS}: pass descriptors, and close those that are not used. It
 * parks in the endpoint's sockets.
 */
public final class UdsAgent implements Agent {
    private static final long EXPIRY_NS = 100_000_000;

    private final UdsEndpoint endpoint;
    private final MemoryExports exports;
    private final Counters counters;
    private final String name;
    private final long intervalNs;
    private long lastExpiryNs = System.nanoTime();
    private long lastWorkNs = lastExpiryNs;

    /**
     * An agent that no thread runs yet.
     *
     * @param rank     for the name
     * @param endpoint owned by this agent from now on
     * @param exports  gets the requests
     * @param counters of the runtime
     * @param interval between two looks at the sockets, for when the thread has more urgent things to do
     */
    public UdsAgent(int rank, UdsEndpoint endpoint, MemoryExports exports, Counters counters, Duration interval) {
        this.name = "proxy-uds-" + rank;
        this.endpoint = endpoint;
        this.exports = exports;
        this.counters = counters;
        this.intervalNs = interval.toNanos();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int doWork() {
        long now = System.nanoTime();
        if (now - lastWorkNs < intervalNs) {
            return 0;
        }
        lastWorkNs = now;
        int count = endpoint.doWork();
        if (count > 0) {
            counters.set(Counter.UDS_PEERS, endpoint.peers());
        }
        if (now - lastExpiryNs >= EXPIRY_NS) {
            lastExpiryNs = now;
            count += exports.expire();
        }
        return count;
    }

    @Override
    public void park(long maxNs) {
        endpoint.park(exports.waiting() > 0 ? Math.min(maxNs, EXPIRY_NS) : maxNs);
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
        endpoint.onClose();
    }
}
