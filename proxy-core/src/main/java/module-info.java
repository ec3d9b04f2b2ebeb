/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * The proxy runtime: ops pool, args pool, the proxy threads, the SPI, counters and the host device.
 *
 * <p>What is exported to all is for embedders, and for devices and transports of one's own. The rest is for the
 * project's own modules, which implement it or are made of it, and changes with them.
 */
@SuppressWarnings("module") // They are compiled after this one.
module io.proxyrt.core {
    // Without it, as a JVM may be that was linked for a program, there is no ProxyRuntimeMXBean.
    requires static java.management;
    // Classes of the progress and the posting path have fields of its events; on a class path it may be missing.
    requires jdk.jfr;
    requires org.jctools.core.jdk11;
    requires transitive org.slf4j;

    exports io.proxyrt.core;
    exports io.proxyrt.core.agent;
    exports io.proxyrt.core.config;
    exports io.proxyrt.core.counters;
    exports io.proxyrt.core.device;
    exports io.proxyrt.core.op;
    exports io.proxyrt.core.progress;
    exports io.proxyrt.core.reduction;
    exports io.proxyrt.core.runtime;
    exports io.proxyrt.core.service.message;

    exports io.proxyrt.core.agent.thread to
            io.proxyrt.cli, io.proxyrt.natives, io.proxyrt.topology;
    exports io.proxyrt.core.auth to
            io.proxyrt.bootstrap, io.proxyrt.rpc, io.proxyrt.transport.collnet, io.proxyrt.transport.net,
            io.proxyrt.uds;
    exports io.proxyrt.core.device.host to
            io.proxyrt.cli, io.proxyrt.natives, io.proxyrt.testkit, io.proxyrt.transport.collnet,
            io.proxyrt.transport.net, io.proxyrt.transport.p2p, io.proxyrt.transport.shm;
    exports io.proxyrt.core.diagnosis to
            io.proxyrt.bootstrap, io.proxyrt.cli, io.proxyrt.collectives;
    exports io.proxyrt.core.directory to
            io.proxyrt.bootstrap, io.proxyrt.cli, io.proxyrt.transport.collnet;
    exports io.proxyrt.core.jfr to
            io.proxyrt.collectives, io.proxyrt.transport.net;
    exports io.proxyrt.core.platform to
            io.proxyrt.bootstrap, io.proxyrt.cli, io.proxyrt.collectives, io.proxyrt.natives, io.proxyrt.rpc,
            io.proxyrt.testkit, io.proxyrt.topology, io.proxyrt.transport.collnet, io.proxyrt.transport.net,
            io.proxyrt.transport.p2p, io.proxyrt.transport.shm, io.proxyrt.uds;
    exports io.proxyrt.core.plugin to
            io.proxyrt.natives, io.proxyrt.transport.collnet, io.proxyrt.transport.net, io.proxyrt.tuner;
    exports io.proxyrt.core.service to
            io.proxyrt.rpc, io.proxyrt.uds;
    exports io.proxyrt.core.text to
            io.proxyrt.cli;
    exports io.proxyrt.core.transport to
            io.proxyrt.transport.collnet, io.proxyrt.transport.net, io.proxyrt.transport.p2p, io.proxyrt.transport.shm;
    exports io.proxyrt.core.verbs to
            io.proxyrt.cli, io.proxyrt.natives, io.proxyrt.testkit, io.proxyrt.transport.net;

    uses io.proxyrt.core.config.OptionsProvider;
    uses io.proxyrt.core.device.DeviceProvider;
    uses io.proxyrt.core.platform.NvidiaDriver;
    uses io.proxyrt.core.platform.Platform;
    uses io.proxyrt.core.plugin.NetLibraries;
    uses io.proxyrt.core.progress.ProxyTransportProvider;
    uses io.proxyrt.core.service.ServiceEndpointProvider;
    uses io.proxyrt.core.service.UdsEndpointProvider;
    uses io.proxyrt.core.verbs.Verbs;
}
