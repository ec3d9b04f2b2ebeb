/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/**
 * What tests of runtimes share: a transport that a test scripts, other JVMs, and a look at what a process holds; and
 * the suite that every network has to pass.
 */
module io.proxyrt.testkit {
    requires transitive io.proxyrt.core;
    requires transitive io.proxyrt.transport.net;
    requires java.management;
    requires jdk.management;

    exports io.proxyrt.testkit;
    exports io.proxyrt.testkit.net;

    opens io.proxyrt.testkit.net;

    uses io.proxyrt.transport.net.spi.NetPluginProvider;
}
