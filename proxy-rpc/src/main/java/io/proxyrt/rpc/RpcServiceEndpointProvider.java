/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.JobSecret;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.DescriptorLimit;
import io.proxyrt.core.service.RpcHandler;
import io.proxyrt.core.service.ServiceEndpoint;
import io.proxyrt.core.service.ServiceEndpointProvider;
import java.io.IOException;
import java.util.Objects;

/** Listens on TCP or at a Unix-domain socket. */
@SuppressWarnings("exports") // Only the runtime calls it.
public final class RpcServiceEndpointProvider implements ServiceEndpointProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RpcServiceEndpointProvider() {
    }

    /**
     * Opens the listening socket. The endpoint starts no thread. Any thread may drive it, a different one each time, as
     * long as it is one at a time; a second one that tries meanwhile gets {@link ProxyResult#INVALID_USAGE}.
     *
     * @param config  effective settings
     * @param self    this runtime, for names and messages and for the sessions that it opens
     * @param secret  of the job; peers that do not know it are refused
     * @param handler gets the requests
     * @return listening, driven by the caller from now on
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot listen
     */
    @Override
    public ServiceEndpoint open(ProxyConfig config, PeerId self, JobSecret secret, RpcHandler handler) {
        Objects.requireNonNull(handler);
        RpcSettings settings = RpcSettings.of(config, self, secret);
        ServiceSocket socket = ServiceSocket.open(config, settings);
        try {
            return new RpcEndpoint(settings, handler, socket);
        } catch (Error e) {
            close(socket, e);
            throw e;
        } catch (RuntimeException e) {
            close(socket, e);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR,
                    "the service of " + settings + " cannot listen at " + socket + ": " + e.getMessage()
                    + DescriptorLimit.advice(e, ""), e);
        }
    }

    private static void close(ServiceSocket socket, Throwable cause) {
        try {
            socket.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }
}
