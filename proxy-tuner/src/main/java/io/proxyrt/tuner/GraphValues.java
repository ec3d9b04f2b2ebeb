/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.topology.ChannelGraph;
import io.proxyrt.topology.GraphPattern;
import io.proxyrt.topology.PathType;

/**
 * What the search of a topology says about an algorithm's channels; {@code ncclTopoGraph} in NCCL.
 *
 * @param channels      1 to 64
 * @param bwIntra       of a channel within a node, GB/s
 * @param bwInter       of a channel between nodes, GB/s
 * @param typeIntra     the worst way between ranks of a node
 * @param typeInter     the worst way between a rank and its adapter; {@link PathType#LOC} on one node
 * @param latencyInter  that the network adds to every step between nodes, in µs
 * @param sameChannels  whether all channels visit a node's ranks in one order
 * @param isPlainTree   whether a tree's links of a node all begin at one GPU ({@code NCCL_TOPO_PATTERN_TREE}), which
 *                      NCCL takes for slower; of no matter for other algorithms
 */
public record GraphValues(int channels, double bwIntra, double bwInter, PathType typeIntra, PathType typeInter,
        double latencyInter, boolean sameChannels, boolean isPlainTree) {
    /** Most channels of a communicator: {@code MAXCHANNELS}. */
    public static final int MAX_CHANNELS = 64;

    /**
     * Checks the values.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if one is out of its range
     */
    public GraphValues {
        if (channels < 1 || channels > MAX_CHANNELS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "channels of a graph: " + channels
                    + "; must be 1 to " + MAX_CHANNELS);
        }
        require("bandwidth within a node", bwIntra);
        require("bandwidth between nodes", bwInter);
        require("latency between nodes", latencyInter);
    }

    /**
     * What a search found.
     *
     * @param graph of a host, or what is slowest of all hosts
     * @return what cost models need of it
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if a value is out of its range
     */
    public static GraphValues of(ChannelGraph graph) {
        return new GraphValues(graph.channels().size(), graph.bwIntra(), graph.bwInter(), graph.typeIntra(),
                graph.typeInter(), graph.latencyInter(), graph.isSameChannels(), graph.pattern() == GraphPattern.TREE);
    }

    private static void require(String name, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name + " of a graph: " + value
                    + "; must be 0 or more, and finite");
        }
    }
}
