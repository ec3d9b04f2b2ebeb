/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.rpc;

import io.proxyrt.core.JobSecret;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.spi.PeerId;
import io.proxyrt.core.spi.RpcHandler;
import io.proxyrt.core.spi.ServiceEndpoint;
import io.proxyrt.core.spi.ServiceEndpointProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.util.Objects;

/** Listens on TCP. */
public final class RpcServiceEndpointProvider implements ServiceEndpointProvider {
    /** For {@link java.util.ServiceLoader}. */
    public RpcServiceEndpointProvider() {
    }

    /**
     * {@inheritDoc}
     *
     * <p>The endpoint starts no thread. Any thread may drive it, a different one each time, as long as it is one at a
     * time; a second one that tries meanwhile gets {@link ProxyResult#INVALID_USAGE}.
     */
    @Override
    public ServiceEndpoint open(ProxyConfig config, PeerId self, JobSecret secret, RpcHandler handler) {
        Objects.requireNonNull(handler);
        RpcSettings settings = RpcSettings.of(config, self, secret);
        InetSocketAddress address = new InetSocketAddress(host(config), config.get(RpcOptions.PORT));
        ServerSocketChannel listener = null;
        try {
            listener = ServerSocketChannel.open();
            listener.bind(address, config.get(RpcOptions.BACKLOG));
            return new RpcEndpoint(settings, handler, listener);
        } catch (IOException | RuntimeException e) {
            close(listener, e);
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, "the service of " + settings + " cannot listen at "
                    + Addresses.text(address) + ": " + e.getMessage() + "; set " + RpcOptions.PORT
                    + " to another port, or to 0 for any that is free, and " + RpcOptions.ADDRESS
                    + " to an address of this host", e);
        }
    }

    private static InetAddress host(ProxyConfig config) {
        String host = config.get(RpcOptions.ADDRESS);
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    RpcOptions.ADDRESS + " is '" + host + "': no such host", e);
        }
    }

    private static void close(ServerSocketChannel listener, Exception cause) {
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException e) {
                cause.addSuppressed(e);
            }
        }
    }
}
