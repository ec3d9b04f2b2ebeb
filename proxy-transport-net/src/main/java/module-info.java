/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The NET transport: progress functions that drive a network, the network SPI, and networks: sockets, InfiniBand. */
@SuppressWarnings("module") // It is compiled after this one.
module io.proxyrt.transport.net {
    requires transitive io.proxyrt.core;
    requires jdk.net;

    exports io.proxyrt.transport.net;
    exports io.proxyrt.transport.net.spi;
    exports io.proxyrt.transport.net.ib to
            io.proxyrt.testkit;

    uses io.proxyrt.transport.net.spi.NetPluginProvider;

    provides io.proxyrt.core.config.OptionsProvider
            with io.proxyrt.transport.net.NetOptions, io.proxyrt.transport.net.SocketOptions,
            io.proxyrt.transport.net.IbOptions;
    provides io.proxyrt.core.progress.ProxyTransportProvider with io.proxyrt.transport.net.NetTransportProvider;
    provides io.proxyrt.transport.net.spi.NetPluginProvider
            with io.proxyrt.transport.net.ib.IbNetProvider, io.proxyrt.transport.net.socket.SocketNetProvider;
}
