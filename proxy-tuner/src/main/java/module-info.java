/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
/** Which algorithm and protocol a collective should take: the cost models of NCCL and RCCL as data, and the choice. */
module io.proxyrt.tuner {
    requires transitive io.proxyrt.core;
    requires transitive io.proxyrt.topology;

    exports io.proxyrt.tuner;
    exports io.proxyrt.tuner.external;
    exports io.proxyrt.tuner.model;
    exports io.proxyrt.tuner.spi;

    uses io.proxyrt.tuner.spi.TunerProvider;

    provides io.proxyrt.core.config.OptionsProvider with io.proxyrt.tuner.external.TunerOptions;
}
