/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;

/**
 * What the runtimes of ranks are configured with: all the same, but for the devices, which the ranks of a host take in
 * turn. Immutable.
 *
 * @param common     all but that
 * @param kind       of the devices; empty if the ranks take what the common configuration says
 * @param gpus       how many devices there are to take, at least 1
 * @param firstLocal the rank that is the first on this host
 */
public record RankConfigs(ProxyConfig common, String kind, int gpus, int firstLocal) {
    /**
     * No difference between ranks.
     *
     * @param config of all
     * @return what says so
     */
    public static RankConfigs same(ProxyConfig config) {
        return new RankConfigs(config, "", 1, 0);
    }

    /**
     * Of one rank.
     *
     * @param rank on this host
     * @return the configuration of its runtime
     */
    public ProxyConfig of(int rank) {
        return kind.isEmpty() ? common
                : common.with(CoreOptions.DEVICE, kind + ":" + Math.floorMod(rank - firstLocal, gpus));
    }
}
