/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Platform;

/** Makes the wire side of the UDS thread; found by {@link java.util.ServiceLoader}. */
public interface UdsEndpointProvider {
    /**
     * Opens the listening socket.
     *
     * @param config   effective settings
     * @param self     this runtime, for the socket's name and for the sessions that it opens
     * @param secret   of the job; peers that do not know it are refused
     * @param platform owns descriptors; one that works
     * @param handler  gets the requests
     * @return listening, driven by the caller from now on
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if it cannot listen, with
     *                                        the reason and what to do
     */
    UdsEndpoint open(ProxyConfig config, PeerId self, JobSecret secret, Platform platform, UdsHandler handler);
}
