/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.concurrent.TimeUnit;

/**
 * What a {@linkplain InitSimulation simulated} network takes.
 *
 * @param latencyNs      from host to host, one way; 0 to a minute
 * @param localLatencyNs from process to process of a host; 0 to a minute
 * @param bytesPerSecond of a host's adapter, each way; at least 1,000
 * @param frameNs        CPU time of a thread that sends or receives a frame; 0 to a second
 */
public record NetworkModel(long latencyNs, long localLatencyNs, long bytesPerSecond, long frameNs) {
    private static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final int MIN_RATE = 1000;

    /**
     * Checks the numbers.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if one is out of its range
     */
    public NetworkModel {
        if (latencyNs < 0 || latencyNs > MINUTE_NS || localLatencyNs < 0 || localLatencyNs > MINUTE_NS
                || bytesPerSecond < MIN_RATE || frameNs < 0 || frameNs > TimeUnit.SECONDS.toNanos(1)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a network of " + latencyNs + " and "
                    + localLatencyNs + " ns, " + bytesPerSecond + " bytes a second, and " + frameNs + " ns a frame");
        }
    }

    /**
     * 50 microseconds between hosts, 10 within one, 3 GB a second (25 Gbit/s), 5 microseconds of CPU time a frame.
     *
     * @return what a cluster's network for control has, or better
     */
    public static NetworkModel defaults() {
        return new NetworkModel(50_000, 10_000, 3_000_000_000L, 5_000);
    }

    /** How long an adapter is busy with so many bytes. */
    long wireNs(int bytes) {
        return (long) (bytes * (double) TimeUnit.SECONDS.toNanos(1) / bytesPerSecond);
    }
}
