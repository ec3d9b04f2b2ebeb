/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What tests of runtimes share: a transport that a test scripts, other JVMs, and a look at what a process holds. */
module io.proxyrt.testkit {
    requires transitive io.proxyrt.core;
    requires java.management;

    exports io.proxyrt.testkit;
}
