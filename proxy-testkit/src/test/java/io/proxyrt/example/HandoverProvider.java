/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.example;

import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;

/** Makes handover transports; {@code ServiceLoader} finds it by its name in META-INF/services. */
public final class HandoverProvider implements ProxyTransportProvider {
    static final String NAME = "HANDOVER";
    static final int ID = 20;

    @Override
    public int id() {
        return ID;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public ProxyTransport create(TransportContext context) {
        return new HandoverTransport(context.config());
    }
}
