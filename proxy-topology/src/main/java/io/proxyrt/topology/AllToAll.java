/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Rings of eight GPUs that are all joined by xGMI: with their reverses they use each link alike, which a search within
 * a budget does not find. RCCL has them in its model of such a machine.
 */
final class AllToAll {
    private static final int GPUS = 8;
    private static final List<String> ORDERS = List.of("01234567", "01234576", "02413657", "02461735", "03152746",
            "03516274", "04173625");
    /** Of them, with their reverses, over each link. */
    private static final int RINGS_A_LINK = 2;

    private AllToAll() {
    }

    /** The rings, each of them and its reverse, twice if there may be so many; empty if the machine is another one. */
    static Optional<ChannelGraph> find(Paths paths, GraphPattern pattern, int maxChannels) {
        TopologyGraph graph = paths.graph();
        List<TopologyNode> gpus = graph.nodes(NodeType.GPU);
        int rings = 2 * ORDERS.size();
        double link = link(gpus);
        if (graph.dialect() != SystemXml.Dialect.RCCL || !graph.nodes(NodeType.NET).isEmpty() || link == 0
                || maxChannels < rings) {
            return Optional.empty();
        }
        List<ChannelGraph.Channel> channels = new ArrayList<>();
        for (String order : ORDERS) {
            List<Integer> ranks = order.chars().map(digit -> gpus.get(digit - '0').gpu().rank()).boxed().toList();
            channels.add(new ChannelGraph.Channel(ranks, -1, -1));
            channels.add(new ChannelGraph.Channel(ranks.reversed(), -1, -1));
        }
        double bandwidth = link / RINGS_A_LINK;
        ChannelGraph once = new ChannelGraph(pattern, channels, bandwidth, bandwidth, PathType.NVL, PathType.LOC, 0,
                false, 0);
        return Optional.of(2 * rings <= maxChannels ? once.doubled(maxChannels) : once);
    }

    /** The bandwidth of the link between any two of them; 0 if it is not always the same. */
    private static double link(List<TopologyNode> gpus) {
        double[] bandwidths = gpus.stream().flatMap(gpu -> gpu.links().stream())
                .filter(link -> link.type() == TopologyLink.Type.NVL && link.to().type() == NodeType.GPU)
                .mapToDouble(TopologyLink::bandwidth).distinct().toArray();
        boolean isWhole = gpus.size() == GPUS && gpus.stream().allMatch(gpu -> gpu.links().stream()
                .filter(link -> link.type() == TopologyLink.Type.NVL && link.to().type() == NodeType.GPU)
                .count() == GPUS - 1);
        return isWhole && bandwidths.length == 1 ? bandwidths[0] : 0;
    }
}
