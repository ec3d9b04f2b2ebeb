/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The {@code proxyrt} command: perf, soak, tune, stat, why, dump, blackbox, trace, report, info and collnet-switch. */
module io.proxyrt.cli {
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires io.proxyrt.bootstrap;
    requires io.proxyrt.collectives;
    requires io.proxyrt.core;
    requires io.proxyrt.topology;
    requires io.proxyrt.transport.collnet;
    requires io.proxyrt.transport.net;
    requires io.proxyrt.tuner;

    opens io.proxyrt.cli to info.picocli;

    uses io.proxyrt.core.progress.ProxyTransportProvider;
}
