/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** The SHM transport: ranks of one host move data through memory that both map. */
module io.proxyrt.transport.shm {
    requires transitive io.proxyrt.core;

    exports io.proxyrt.transport.shm;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.transport.shm.ShmOptions;
    provides io.proxyrt.core.progress.ProxyTransportProvider with io.proxyrt.transport.shm.ShmTransportProvider;
}
