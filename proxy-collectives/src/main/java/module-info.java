/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** A reference collective stack over the public API of the proxy runtime: communicators, channels, ring kernels. */
@SuppressWarnings("module") // The command is compiled after this one.
module io.proxyrt.collectives {
    requires transitive io.proxyrt.bootstrap;
    requires transitive io.proxyrt.core;
    requires com.fasterxml.jackson.core;
    requires io.proxyrt.topology;

    exports io.proxyrt.collectives;
    exports io.proxyrt.collectives.kernel to io.proxyrt.cli;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.collectives.CollectivesOptions;
}
