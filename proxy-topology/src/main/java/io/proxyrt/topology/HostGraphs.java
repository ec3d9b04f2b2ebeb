/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.List;

/**
 * Rings and trees of one host.
 *
 * @param paths of it
 * @param ring  of its ranks, by their number on the host
 * @param tree  with as many channels as the ring has, or fewer
 */
record HostGraphs(Paths paths, ChannelGraph ring, ChannelGraph tree) {
    /** As many as half of NCCL's channels: the other half is for the second of two trees. */
    static final int MAX_CHANNELS = 32;
    /** GB/s of a network of which nothing is known, as NCCL takes it: 10 Gb/s. */
    private static final double UNKNOWN_NETWORK = 1.25;

    /** Searches, where no graph is given. */
    static HostGraphs of(SystemXml xml, List<RankPlace> places, NetDevsPolicy policy, boolean isAlone) {
        TopologyGraph whole = TopologyGraph.of(xml, places);
        Paths paths = Paths.of(isAlone ? whole.withoutNetworks() : whole, policy);
        GraphSearch search = new GraphSearch(paths);
        ChannelGraph ring = search.search(GraphPattern.RING, 1, MAX_CHANNELS);
        int channels = ring.channels().size();
        ChannelGraph tree = search.search(GraphPattern.BALANCED_TREE, channels, channels);
        boolean isUnknown = !isAlone && whole.nodes(NodeType.NET).isEmpty();
        return isUnknown ? new HostGraphs(paths, overUnknown(ring), overUnknown(tree))
                : new HostGraphs(paths, ring, tree);
    }

    /** One channel fills such a network. */
    private static ChannelGraph overUnknown(ChannelGraph graph) {
        return new ChannelGraph(graph.pattern(), graph.limited(1).channels(), graph.bwIntra(),
                Math.min(graph.bwIntra(), UNKNOWN_NETWORK), graph.typeIntra(), PathType.SYS, 0,
                graph.isSameChannels(), 0);
    }

    /** With those of a document instead. */
    HostGraphs with(GraphXml xml) {
        return new HostGraphs(paths, xml.graph(GraphXml.RING, paths.graph()).orElse(ring),
                xml.graph(GraphXml.TREE, paths.graph()).orElse(tree));
    }

    GraphXml xml() {
        return GraphXml.of(paths.graph(), ring, tree);
    }
}
