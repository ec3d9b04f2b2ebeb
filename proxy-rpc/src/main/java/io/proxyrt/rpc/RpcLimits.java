/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.config.ProxyConfig;

/**
 * What a service puts up with.
 *
 * @param maxConnections      sessions at one time
 * @param maxUnauthenticated  connections at one time that have not proven the secret yet
 * @param maxSessionsPerPeer  of one identity
 * @param maxFrameBytes       longest frame, header included
 * @param maxOutstandingBytes requests of one peer that are not answered yet
 */
record RpcLimits(int maxConnections, int maxUnauthenticated, int maxSessionsPerPeer, int maxFrameBytes,
                 long maxOutstandingBytes) {
    static RpcLimits of(ProxyConfig config) {
        return new RpcLimits(config.get(RpcOptions.MAX_CONNECTIONS), config.get(RpcOptions.MAX_UNAUTHENTICATED),
                config.get(RpcOptions.MAX_SESSIONS_PER_PEER), Math.toIntExact(config.get(RpcOptions.MAX_FRAME_BYTES)),
                config.get(RpcOptions.MAX_OUTSTANDING_BYTES));
    }
}
