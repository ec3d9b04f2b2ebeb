/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How to get from one node to another. Immutable.
 *
 * @param links     one behind the other; none from a node to itself
 * @param bandwidth of the slowest of them, in GB/s
 * @param type      of the farthest of them, and what else the path is
 */
public record TopologyPath(List<TopologyLink> links, double bandwidth, PathType type) {
    /**
     * Copies the list.
     */
    public TopologyPath {
        links = List.copyOf(links);
    }

    /**
     * How many links there are.
     *
     * @return 0 from a node to itself
     */
    public int hops() {
        return links.size();
    }

    /**
     * The first CPU on it.
     *
     * @return empty if it goes through none
     */
    public Optional<TopologyNode> cpu() {
        return links.stream().map(TopologyLink::to).filter(node -> node.type() == NodeType.CPU).findFirst();
    }

    TopologyPath type(PathType other) {
        return new TopologyPath(links, bandwidth, other);
    }

    /** The nodes on it, as {@code GPU/0 -PCI-> PCI/0000:18:00.0 -PCI-> GPU/1}. */
    @Override
    public String toString() {
        return links.isEmpty() ? type.name() : links.getFirst().from() + links.stream()
                .map(link -> " -" + link.type() + "-> " + link.to()).collect(Collectors.joining());
    }
}
