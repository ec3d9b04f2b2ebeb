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
    exports io.proxyrt.core.device.host;
    exports io.proxyrt.core.op;
    exports io.proxyrt.core.platform;
    exports io.proxyrt.core.progress;
    exports io.proxyrt.core.runtime;
    exports io.proxyrt.core.service;
    exports io.proxyrt.core.service.message;
    exports io.proxyrt.core.transport;

    uses io.proxyrt.core.config.OptionsProvider;
    uses io.proxyrt.core.device.DeviceProvider;
    uses io.proxyrt.core.device.host.HostModule;
    uses io.proxyrt.core.platform.Platform;
    uses io.proxyrt.core.progress.ProxyTransportProvider;
    uses io.proxyrt.core.service.ServiceEndpointProvider;
    uses io.proxyrt.core.service.UdsEndpointProvider;
}
