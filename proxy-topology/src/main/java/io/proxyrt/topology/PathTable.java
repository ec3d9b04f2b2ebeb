/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Shortest paths to nodes, breadth first: of two that are as long, the wider one. */
final class PathTable {
    private final TopologyPath[][] paths;
    private final boolean isNvb;
    /** Over another GPU's links counts as a type of its own: in RCCL it does not. */
    private final boolean isNvbFarther;

    PathTable(TopologyGraph graph, boolean isNvb) {
        this.paths = new TopologyPath[graph.nodes().size()][graph.nodes().size()];
        this.isNvb = isNvb;
        this.isNvbFarther = graph.dialect() == SystemXml.Dialect.NCCL;
    }

    /** Null if there is no path. */
    TopologyPath get(TopologyNode from, TopologyNode to) {
        return paths[from.index()][to.index()];
    }

    void set(TopologyNode from, TopologyNode to, TopologyPath path) {
        paths[from.index()][to.index()] = path;
    }

    /** Finds the paths from all nodes to one. */
    void findAll(TopologyNode base) {
        set(base, base, new TopologyPath(List.of(), TopologyGraph.LOCAL_BANDWIDTH, PathType.LOC));
        Set<TopologyNode> near = Set.of(base);
        while (!near.isEmpty()) {
            Set<TopologyNode> next = new LinkedHashSet<>();
            for (TopologyNode node : near) {
                for (TopologyLink link : node.links()) {
                    if (extend(base, node, link)) {
                        next.add(link.to());
                    }
                }
            }
            near = next;
        }
    }

    /** The path from a node to the base becomes one from its neighbour, if that has no better one. */
    private boolean extend(TopologyNode base, TopologyNode node, TopologyLink link) {
        TopologyPath path = get(node, base);
        TopologyNode neighbour = link.to();
        if (node != base && node.type() == NodeType.GPU && !mayPass(link, path)) {
            return false;
        }
        TopologyPath known = get(neighbour, base);
        TopologyLink back = back(node, link);
        if (back == null) {
            return false;
        }
        double bandwidth = Math.min(path.bandwidth(), back.bandwidth());
        if (known != null && (known.hops() <= path.hops() || known.bandwidth() >= bandwidth)) {
            return false;
        }
        List<TopologyLink> links = new ArrayList<>(path.links());
        links.addFirst(back);
        set(neighbour, base, new TopologyPath(links, bandwidth, type(node, link, path, links.size())));
        return true;
    }

    private boolean mayPass(TopologyLink link, TopologyPath path) {
        return isNvb && link.type() == TopologyLink.Type.NVL && link.to().type() == NodeType.GPU && path.hops() <= 1;
    }

    private static TopologyLink back(TopologyNode node, TopologyLink link) {
        return link.to().links().stream().filter(other -> other.to() == node && other.type() == link.type()).findFirst()
                .orElse(null);
    }

    private PathType type(TopologyNode node, TopologyLink link, TopologyPath path, int hops) {
        PathType type = link.type().path();
        if (link.type() == TopologyLink.Type.PCI) {
            if (node.type() == NodeType.CPU || link.to().type() == NodeType.CPU) {
                type = PathType.PHB;
            } else if (node.type() == NodeType.PCI && link.to().type() == NodeType.PCI) {
                type = PathType.PXB;
            }
        } else if (isNvbFarther && node.type() == NodeType.GPU && path.type() == PathType.NVL && type == PathType.NVL
                && hops > 1) {
            type = PathType.NVB;
        }
        return path.type().farther(type);
    }
}
