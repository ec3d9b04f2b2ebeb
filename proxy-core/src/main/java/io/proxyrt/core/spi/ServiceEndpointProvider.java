/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.spi;

import io.proxyrt.core.config.ProxyConfig;

/** Makes the wire side of the service; found by {@link java.util.ServiceLoader}. */
public interface ServiceEndpointProvider {
    /**
     * Opens the listening socket.
     *
     * @param config  effective settings
     * @param rank    of this runtime, for names and messages
     * @param jobId   64 bits that every rank of the job knows; peers that do not are refused
     * @param handler gets the requests
     * @return listening, driven by the caller from now on
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if it cannot listen
     */
    ServiceEndpoint open(ProxyConfig config, int rank, long jobId, RpcHandler handler);
}
