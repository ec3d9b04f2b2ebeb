/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import java.time.Duration;

/**
 * Who we are and what we put up with.
 *
 * @param rank                of this runtime
 * @param jobId               that peers have to know; never logged, never sent but in a hello
 * @param maxConnections      accepted at one time
 * @param maxFrameBytes       longest frame, header included
 * @param maxOutstandingBytes requests of one peer that are not answered yet
 * @param helloTimeout        for opening a session
 */
record RpcSettings(int rank, long jobId, int maxConnections, int maxFrameBytes, long maxOutstandingBytes,
                   Duration helloTimeout) {
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    RpcSettings {
        if (helloTimeout.compareTo(SHORTEST) < 0 || helloTimeout.compareTo(LONGEST) > 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    RpcOptions.HELLO_TIMEOUT + " is " + helloTimeout + ": must be in 1ms..60m");
        }
    }

    static RpcSettings of(ProxyConfig config, int rank, long jobId) {
        return new RpcSettings(rank, jobId, config.get(RpcOptions.MAX_CONNECTIONS),
                Math.toIntExact(config.get(RpcOptions.MAX_FRAME_BYTES)), config.get(RpcOptions.MAX_OUTSTANDING_BYTES),
                config.get(RpcOptions.HELLO_TIMEOUT));
    }

    long helloTimeoutNs() {
        return helloTimeout.toNanos();
    }

    @Override
    public String toString() {
        return "rank " + rank;
    }
}
