/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** What joins the GPUs, CPUs and NICs of a host, and the rings and trees that suit it. */
@SuppressWarnings("module") // It is compiled after this one.
module io.proxyrt.topology {
    requires transitive io.proxyrt.core;
    requires java.xml;

    exports io.proxyrt.topology;
    exports io.proxyrt.topology.xml to
            io.proxyrt.collectives;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.topology.TopologyOptions;
}
