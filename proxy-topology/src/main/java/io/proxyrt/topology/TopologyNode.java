/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.List;
import java.util.OptionalInt;

/** A node of a {@link TopologyGraph}. Immutable. */
public final class TopologyNode {
    private final NodeType type;
    private final int index;
    private final String name;
    private final NodeDetail detail;
    private List<TopologyLink> links = List.of();

    TopologyNode(NodeType type, int index, String name, NodeDetail detail) {
        this.type = type;
        this.index = index;
        this.name = name;
        this.detail = detail;
    }

    /** Once, while the graph is built. */
    void links(List<TopologyLink> all) {
        this.links = List.copyOf(all);
    }

    /** The same node in another graph, without its links. */
    TopologyNode copy(int newIndex) {
        return new TopologyNode(type, newIndex, name, detail);
    }

    /**
     * What it is.
     *
     * @return its type
     */
    public NodeType type() {
        return type;
    }

    /**
     * Its number among all nodes of the graph.
     *
     * @return from 0 on
     */
    public int index() {
        return index;
    }

    /**
     * What it is called on its host: an address on PCI, the number of a NUMA node, the name of a network's device.
     *
     * @return not empty
     */
    public String name() {
        return name;
    }

    /**
     * The links that begin here.
     *
     * @return the fastest first; of PCI, what leads up comes last
     */
    public List<TopologyLink> links() {
        return links;
    }

    /**
     * The rank that uses it.
     *
     * @return empty if it is no GPU
     */
    public OptionalInt rank() {
        return detail instanceof NodeDetail.Gpu gpu ? OptionalInt.of(gpu.rank()) : OptionalInt.empty();
    }

    /**
     * Its number on the host, by which graphs name it.
     *
     * @return empty if it is neither a GPU nor a device of a network
     */
    public OptionalInt dev() {
        return switch (detail) {
            case NodeDetail.Gpu gpu -> OptionalInt.of(gpu.dev());
            case NodeDetail.Net net -> OptionalInt.of(net.dev());
            default -> OptionalInt.empty();
        };
    }

    NodeDetail.Gpu gpu() {
        return (NodeDetail.Gpu) detail;
    }

    NodeDetail.Net net() {
        return (NodeDetail.Net) detail;
    }

    NodeDetail.Cpu cpu() {
        return (NodeDetail.Cpu) detail;
    }

    /** Type and number, as NCCL's log has it: {@code GPU/3}, of a rank; {@code NET/0}, of a device. */
    @Override
    public String toString() {
        return type + "/" + switch (detail) {
            case NodeDetail.Gpu gpu -> gpu.rank();
            case NodeDetail.Net net -> net.dev();
            default -> name;
        };
    }
}
