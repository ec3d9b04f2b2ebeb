/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.ProxyTransportProvider;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.transport.shm.MemfdSegments.Exports;

/** Makes the SHM transport. */
public final class ShmTransportProvider implements ProxyTransportProvider {
    /** RCCL's number of the transport. */
    public static final int ID = 1;

    /** For {@link java.util.ServiceLoader}. */
    public ShmTransportProvider() {
    }

    @Override
    public int id() {
        return ID;
    }

    @Override
    public String name() {
        return "SHM";
    }

    @Override
    public ProxyTransport create(TransportContext context) {
        return new ShmTransport(context, new SegmentKinds(context.config(), context.device(),
                Exports.of(context.memory())));
    }
}
