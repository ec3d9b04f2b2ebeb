/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What tests of runtimes share: a transport that a test scripts, other JVMs, and a look at what a process holds; and
 * the suites that every network, every transport and every device has to pass.
 */
module io.proxyrt.testkit {
    requires transitive io.proxyrt.core;
    requires transitive io.proxyrt.transport.collnet;
    requires transitive io.proxyrt.transport.net;
    requires java.management;
    requires jdk.management;

    exports io.proxyrt.testkit;
    exports io.proxyrt.testkit.collnet;
    exports io.proxyrt.testkit.device;
    exports io.proxyrt.testkit.gpu;
    exports io.proxyrt.testkit.net;
    exports io.proxyrt.testkit.plugin;
    exports io.proxyrt.testkit.transport;
    exports io.proxyrt.testkit.verbs;

    opens io.proxyrt.testkit.collnet;
    opens io.proxyrt.testkit.device;
    opens io.proxyrt.testkit.net;
    opens io.proxyrt.testkit.transport;
    opens io.proxyrt.testkit.verbs;

    uses io.proxyrt.transport.collnet.spi.CollNetPluginProvider;
    uses io.proxyrt.transport.net.spi.NetPluginProvider;
}
