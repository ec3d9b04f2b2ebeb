/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The proxy runtime: ops pool, args pool, the proxy threads, the SPI, counters and the host device. */
module io.proxyrt.core {
    requires org.jctools.core.jdk11;
    requires transitive org.slf4j;

    exports io.proxyrt.core;
    exports io.proxyrt.core.agent;
    exports io.proxyrt.core.config;
    exports io.proxyrt.core.counters;
    exports io.proxyrt.core.device;
    exports io.proxyrt.core.mapped;
    exports io.proxyrt.core.message;
    exports io.proxyrt.core.op;
    exports io.proxyrt.core.progress;
    exports io.proxyrt.core.spi;
    exports io.proxyrt.core.topology;
    exports io.proxyrt.core.transport;
    exports io.proxyrt.core.uds;

    uses io.proxyrt.core.config.OptionsProvider;
    uses io.proxyrt.core.device.DeviceProvider;
    uses io.proxyrt.core.device.HostModule;
    uses io.proxyrt.core.spi.Platform;
    uses io.proxyrt.core.spi.ProxyTransportProvider;
    uses io.proxyrt.core.spi.ServiceEndpointProvider;
    uses io.proxyrt.core.spi.UdsEndpointProvider;
}
