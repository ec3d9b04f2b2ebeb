/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Where the ranks of a job meet: they find each other by a unique id, exchange bytes, and hear when one dies. */
module io.proxyrt.bootstrap {
    requires transitive io.proxyrt.core;

    exports io.proxyrt.bootstrap;
    exports io.proxyrt.bootstrap.launch;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.bootstrap.BootstrapOptions;
}
