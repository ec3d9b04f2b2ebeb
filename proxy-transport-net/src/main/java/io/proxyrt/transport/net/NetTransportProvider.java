/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.TransportContext;
import java.util.Optional;

/** Makes the NET transport. */
public final class NetTransportProvider implements ProxyTransportProvider {
    /** RCCL's number of the transport. */
    public static final int ID = 2;

    /** For {@link java.util.ServiceLoader}. */
    public NetTransportProvider() {
    }

    @Override
    public int id() {
        return ID;
    }

    @Override
    public String name() {
        return NetTransport.NAME;
    }

    @Override
    public Optional<TransportAdapter> firstAdapter(ProxyConfig config, int rank) {
        // What is wrong is said when the transport is made.
        NetSelection net = NetSelection.of(NetProviders.of(config), config, rank, warning -> { });
        if (net.plugin() == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(net.adapters().getFirst());
        } finally {
            net.plugin().close();
        }
    }

    @Override
    public ProxyTransport create(TransportContext context) {
        NetSelection net = NetSelection.of(context.config(), context.rank());
        net.tell(context.rank());
        try {
            return new NetTransport(context, net);
        } catch (RuntimeException | Error e) {
            new Closing().add(net.plugin());
            throw e;
        }
    }
}
