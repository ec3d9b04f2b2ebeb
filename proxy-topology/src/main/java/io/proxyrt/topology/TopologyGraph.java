/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The nodes of a host, and the links between them. Immutable. */
public final class TopologyGraph {
    /** Of each type, as in NCCL. */
    public static final int MAX_NODES = 64;
    /** GB/s within a node: more than anything that leaves it. */
    static final double LOCAL_BANDWIDTH = 5000;

    private final SystemXml.Dialect dialect;
    private final List<TopologyNode> nodes;
    private final Map<NodeType, List<TopologyNode>> byType = new EnumMap<>(NodeType.class);
    private final int linkCount;

    TopologyGraph(SystemXml.Dialect dialect, List<TopologyNode> nodes, int linkCount) {
        this.dialect = dialect;
        this.nodes = List.copyOf(nodes);
        this.linkCount = linkCount;
        for (NodeType type : NodeType.values()) {
            byType.put(type, nodes.stream().filter(node -> node.type() == type).toList());
        }
    }

    /**
     * The graph of a document, with the ranks that it names. If it names none, its GPUs are ranks in their order. A
     * device of PCI that is of a GPU's class and has nothing in it counts as a GPU.
     *
     * @param xml what the host is made of
     * @return all of it
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for a value that makes no sense, an address that is
     *                        there twice, or more than {@link #MAX_NODES} of a type;
     *                        {@link ProxyResult#INVALID_USAGE} if it is of several hosts
     */
    public static TopologyGraph of(SystemXml xml) {
        return new GraphBuilder(xml, Collections.emptyList()).build();
    }

    /**
     * The graph of a document, with ranks of one's own: GPUs that none of them uses are left out.
     *
     * @param xml    what the host is made of
     * @param places of the ranks 0, 1, 2 … of this host; their host ids are not looked at
     * @return the graph
     * @throws ProxyException as {@link #of(SystemXml)}; also {@link ProxyResult#INVALID_ARGUMENT} if a rank's GPU or
     *                        NUMA node is not there, {@link ProxyResult#INVALID_USAGE} if two ranks use one GPU
     */
    public static TopologyGraph of(SystemXml xml, List<RankPlace> places) {
        if (places.isEmpty()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no rank is placed on " + xml);
        }
        return new GraphBuilder(xml, places).build();
    }

    /** The same without networks, as NCCL has it for ranks that are all on one host. */
    TopologyGraph withoutNetworks() {
        List<TopologyNode> kept = new ArrayList<>();
        GraphLinks links = new GraphLinks();
        TopologyNode[] copies = new TopologyNode[nodes.size()];
        for (TopologyNode node : nodes) {
            if (node.type() != NodeType.NET && node.type() != NodeType.NIC) {
                copies[node.index()] = node.copy(kept.size());
                kept.add(copies[node.index()]);
            }
        }
        for (TopologyNode node : nodes) {
            for (TopologyLink link : node.links()) {
                if (copies[node.index()] != null && copies[link.to().index()] != null) {
                    links.add(copies[node.index()], copies[link.to().index()], link.type(), link.bandwidth());
                }
            }
        }
        return new TopologyGraph(dialect, kept, links.attach());
    }

    /**
     * Whose rules the graph follows.
     *
     * @return that of the document
     */
    public SystemXml.Dialect dialect() {
        return dialect;
    }

    /**
     * All nodes.
     *
     * @return by index
     */
    public List<TopologyNode> nodes() {
        return nodes;
    }

    /**
     * The nodes of a type.
     *
     * @param type which
     * @return in the order of the document
     */
    public List<TopologyNode> nodes(NodeType type) {
        return byType.get(type);
    }

    int linkCount() {
        return linkCount;
    }

    /** The NUMA node that NCCL asks for its vendor: the first. */
    NodeDetail.Cpu firstCpu() {
        List<TopologyNode> cpus = nodes(NodeType.CPU);
        return cpus.isEmpty() ? new NodeDetail.Cpu(0, "", "", 0, 0) : cpus.getFirst().cpu();
    }

    /** The least of the GPUs' compute capabilities; 0 if they have none. */
    int minCapability() {
        return nodes(NodeType.GPU).stream().mapToInt(node -> node.gpu().capability()).min().orElse(0);
    }
}
