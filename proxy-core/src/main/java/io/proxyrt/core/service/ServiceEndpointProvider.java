/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;

/** Makes the wire side of the service; found by {@link java.util.ServiceLoader}. */
public interface ServiceEndpointProvider {
    /**
     * Opens the listening socket.
     *
     * @param config  effective settings
     * @param self    this runtime, for names and messages and for the sessions that it opens
     * @param secret  of the job; peers that do not know it are refused
     * @param handler gets the requests
     * @return listening, driven by the caller from now on
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if it cannot listen
     */
    ServiceEndpoint open(ProxyConfig config, PeerId self, JobSecret secret, RpcHandler handler);
}
