/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.config.ProxyConfig;
import java.util.Optional;

/** Makes a transport; found by {@link java.util.ServiceLoader}. Loading it touches no native code. */
public interface ProxyTransportProvider {
    /**
     * RCCL's number of the transport, which travels in Init.
     *
     * @return P2P 0, SHM 1, NET 2, COLLNET 3; others from 16 on
     */
    int id();

    /**
     * RCCL's name of the transport.
     *
     * @return such as {@code NET}
     */
    String name();

    /**
     * The network adapter that the transport of a runtime would use first; asked before there is one. Opens adapters,
     * and closes them again.
     *
     * @param config effective settings
     * @param rank   of the runtime
     * @return empty if it uses none here
     */
    default Optional<TransportAdapter> firstAdapter(ProxyConfig config, int rank) {
        return Optional.empty();
    }

    /**
     * Makes the transport of one runtime.
     *
     * @param context what it may use
     * @return owned, and closed, by the runtime
     */
    ProxyTransport create(TransportContext context);
}
