/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The COLLNET transport: collectives that the network carries out, its SPI, and a switch in software. */
@SuppressWarnings("module") // They are compiled after this one.
module io.proxyrt.transport.collnet {
    requires transitive io.proxyrt.core;
    requires jdk.net;

    exports io.proxyrt.transport.collnet;
    exports io.proxyrt.transport.collnet.spi;
    exports io.proxyrt.transport.collnet.aggregation to
            io.proxyrt.cli, io.proxyrt.testkit;

    uses io.proxyrt.transport.collnet.spi.CollNetPluginProvider;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.transport.collnet.CollNetOptions;
    provides io.proxyrt.core.progress.ProxyTransportProvider
            with io.proxyrt.transport.collnet.CollNetTransportProvider;
    provides io.proxyrt.transport.collnet.spi.CollNetPluginProvider
            with io.proxyrt.transport.collnet.software.SwitchNetProvider;
}
