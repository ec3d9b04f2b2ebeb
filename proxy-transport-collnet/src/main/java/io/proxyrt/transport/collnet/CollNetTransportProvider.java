/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;

/** Makes the COLLNET transport. */
public final class CollNetTransportProvider implements ProxyTransportProvider {
    /** RCCL's number of the transport. */
    public static final int ID = 3;

    /** For {@link java.util.ServiceLoader}. */
    public CollNetTransportProvider() {
    }

    @Override
    public int id() {
        return ID;
    }

    @Override
    public String name() {
        return CollNetTransport.NAME;
    }

    @Override
    public ProxyTransport create(TransportContext context) {
        CollNetSelection net = CollNetSelection.of(context.config(), context.rank());
        try {
            return new CollNetTransport(context, net);
        } catch (RuntimeException | Error e) {
            new Closing().add(net.plugin());
            throw e;
        }
    }
}
