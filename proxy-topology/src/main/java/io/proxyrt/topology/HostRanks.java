/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.List;

/**
 * What a machine says to ranks of a communicator that are on it: by which adapters they go, and in which order they
 * follow each other. Immutable; any thread.
 */
public final class HostRanks {
    private static final Recent<Search, HostGraphs> SEARCHES = new Recent<>();

    private final Key key;
    private final Paths paths;

    /** What paths depend on. */
    record Key(HostMachine machine, List<RankPlace> places) {
    }

    /** What a search depends on. */
    private record Search(Key key, boolean isAlone) {
    }

    /**
     * In which order ranks follow each other, by their numbers on the host.
     *
     * @param ring the first gets what comes from another host, the last sends to one
     * @param tree the first is the head
     */
    public record Order(List<Integer> ring, List<Integer> tree) {
        /** Copies both. */
        public Order {
            ring = List.copyOf(ring);
            tree = List.copyOf(tree);
        }
    }

    HostRanks(Key key) {
        this.key = key;
        TopologyGraph graph = TopologyGraph.of(key.machine.xml(), key.places);
        this.paths = Paths.of(graph, PathRules.of(graph).netDevs(key.machine.netDevs()).pxn(false));
    }

    /**
     * The adapters that a rank's connections take, channels in turn: of those nearest to its device as many as
     * {@link TopologyOptions#NETDEVS_POLICY} says, as NCCL's {@code ncclTopoGetLocalNet} has it without PXN: no rank
     * sends by another's.
     *
     * @param rank by its number on the host
     * @return their numbers; empty if the place of none is known
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such rank
     */
    public List<Integer> adapters(int rank) {
        TopologyNode gpu = gpu(rank);
        return key.machine.knowsAdapters() ? paths.localNets(gpu).stream().map(net -> net.net().dev()).toList()
                : List.of();
    }

    /**
     * How far an adapter is from a rank.
     *
     * @param rank    by its number on the host
     * @param adapter by its number
     * @return such as {@code PIX}, for people
     * @throws ProxyException as {@link #adapters}
     */
    public String distance(int rank, int adapter) {
        TopologyNode gpu = gpu(rank);
        return paths.graph().nodes(NodeType.NET).stream().filter(net -> net.net().dev() == adapter)
                .flatMap(net -> paths.find(gpu, net).stream()).map(path -> path.type().toString()).findFirst()
                .orElse("no path");
    }

    private TopologyNode gpu(int rank) {
        return paths.graph().nodes(NodeType.GPU).stream().filter(node -> node.gpu().rank() == rank).findFirst()
                .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT,
                        "rank " + rank + " is not on this host"));
    }

    /**
     * Searches for the order, as {@link JobTopology} does.
     *
     * @param isAlone whether all ranks are on this host
     * @param isOdd   whether it is the second, fourth ... of the hosts: where NICs are used crosswise, two channels
     *                change places there, so that each keeps its rail
     * @return that of the first channel
     */
    public Order order(boolean isAlone, boolean isOdd) {
        return order(graphs(isAlone), isOdd);
    }

    /**
     * Takes that of a document.
     *
     * @param xml     with a ring, a tree or both; what it does not have is searched for
     * @param isAlone as of {@link #order(boolean, boolean)}
     * @param isOdd   as of that
     * @return that of the first channel
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it does not suit this host
     */
    public Order order(GraphXml xml, boolean isAlone, boolean isOdd) {
        return order(graphs(isAlone).with(xml), isOdd);
    }

    private static Order order(HostGraphs graphs, boolean isOdd) {
        return new Order(graphs.ring().channels().get(graphs.ring().onHost(0, isOdd)).ranks(),
                graphs.tree().channels().getFirst().ranks());
    }

    /**
     * The rings and trees of a search.
     *
     * @param isAlone as of {@link #order(boolean, boolean)}
     * @return a document for {@link TopologyOptions#GRAPH_DUMP_FILE}
     */
    public GraphXml graphXml(boolean isAlone) {
        return graphs(isAlone).xml();
    }

    private HostGraphs graphs(boolean isAlone) {
        return SEARCHES.get(new Search(key, isAlone), search -> HostGraphs.of(search.key.machine.xml(),
                search.key.places, search.key.machine.netDevs(), search.isAlone));
    }
}
