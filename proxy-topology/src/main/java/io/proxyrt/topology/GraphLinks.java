/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The links of a graph that is being built. Those between two nodes that have one type are one, and add up. */
final class GraphLinks {
    private final Map<Ends, Double> bandwidths = new LinkedHashMap<>();

    private record Ends(TopologyNode from, TopologyNode to, TopologyLink.Type type) {
    }

    void add(TopologyNode from, TopologyNode to, TopologyLink.Type type, double bandwidth) {
        bandwidths.merge(new Ends(from, to, type), bandwidth, Double::sum);
    }

    void addBoth(TopologyNode one, TopologyNode other, TopologyLink.Type type, double bandwidth) {
        add(one, other, type, bandwidth);
        add(other, one, type, bandwidth);
    }

    /** Gives all nodes their links, and says how many there are. */
    int attach() {
        Map<TopologyNode, List<TopologyLink>> links = new LinkedHashMap<>();
        bandwidths.forEach((ends, bandwidth) -> links.computeIfAbsent(ends.from, node -> new ArrayList<>())
                .add(new TopologyLink(0, ends.from, ends.to, ends.type, bandwidth)));
        int count = 0;
        for (Map.Entry<TopologyNode, List<TopologyLink>> entry : links.entrySet()) {
            List<TopologyLink> sorted = new ArrayList<>(entry.getValue());
            sorted.sort(Comparator.comparingDouble(TopologyLink::bandwidth).reversed());
            List<TopologyLink> up = sorted.stream().filter(GraphLinks::isUp).toList();
            sorted.removeAll(up);
            sorted.addAll(up);
            List<TopologyLink> numbered = new ArrayList<>();
            for (TopologyLink link : sorted) {
                numbered.add(new TopologyLink(count++, link.from(), link.to(), link.type(), link.bandwidth()));
            }
            entry.getKey().links(numbered);
        }
        return count;
    }

    /** Nodes are made from the root down, so what leads up leads to an earlier one. */
    private static boolean isUp(TopologyLink link) {
        return link.type() == TopologyLink.Type.PCI && link.to().index() < link.from().index();
    }
}
