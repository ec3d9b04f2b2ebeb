/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The P2P transport: kernels of a host's devices reach each other's memory. */
module io.proxyrt.transport.p2p {
    requires transitive io.proxyrt.core;

    exports io.proxyrt.transport.p2p;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.transport.p2p.P2pOptions;
    provides io.proxyrt.core.progress.ProxyTransportProvider with io.proxyrt.transport.p2p.P2pTransportProvider;
}
