/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.launch;

import io.proxyrt.cli.about.Host;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;

/**
 * What the runtimes of ranks are configured with: all the same, but for the devices, which the ranks of a host take in
 * turn, and the node that each takes itself to be on. Immutable.
 *
 * @param common       all but that
 * @param kind         of the devices; empty if the ranks take what the common configuration says
 * @param gpus         how many devices there are to take, at least 1
 * @param firstLocal   the rank that is the first on this host
 * @param ranksPerNode how many ranks each node has, one behind the other; 0 if hosts are what they are
 */
public record RankConfigs(ProxyConfig common, String kind, int gpus, int firstLocal, int ranksPerNode) {
    /**
     * Ranks that are on the hosts where they are.
     *
     * @param common     all but the devices
     * @param kind       of the devices; empty if the ranks take what the common configuration says
     * @param gpus       how many devices there are to take, at least 1
     * @param firstLocal the rank that is the first on this host
     */
    public RankConfigs(ProxyConfig common, String kind, int gpus, int firstLocal) {
        this(common, kind, gpus, firstLocal, 0);
    }

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
     * Takes this host for several.
     *
     * @param ranks of each node, at least 1
     * @return the same but for that
     */
    public RankConfigs onNodes(int ranks) {
        return new RankConfigs(common, kind, gpus, firstLocal, ranks);
    }

    /**
     * Of one rank.
     *
     * @param rank on this host
     * @return the configuration of its runtime
     */
    public ProxyConfig of(int rank) {
        ProxyConfig config = kind.isEmpty() ? common
                : common.with(CoreOptions.DEVICE, kind + ":" + Math.floorMod(rank - firstLocal, gpus));
        return ranksPerNode == 0 ? config : config.with(CoreOptions.HOST_ID, node(rank));
    }

    /** What differs on different hosts still does. */
    private String node(int rank) {
        String host = common.get(CoreOptions.HOST_ID);
        return (host.isEmpty() ? Host.name() : host) + " node " + rank / ranksPerNode;
    }
}
