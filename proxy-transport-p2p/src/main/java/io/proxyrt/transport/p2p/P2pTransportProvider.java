/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;

/** Makes the P2P transport. */
public final class P2pTransportProvider implements ProxyTransportProvider {
    /** RCCL's number of the transport. */
    public static final int ID = 0;

    /** For {@link java.util.ServiceLoader}. */
    public P2pTransportProvider() {
    }

    @Override
    public int id() {
        return ID;
    }

    @Override
    public String name() {
        return "P2P";
    }

    @Override
    public ProxyTransport create(TransportContext context) {
        return new P2pTransport(context);
    }
}
