/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Rings and trees of all ranks of a job, on one host or several. The ranks of a host are neighbours in each ring,
 * whatever their numbers are; trees are binary among the hosts, and a chain within each. Immutable: every rank that has
 * the same places and documents has the same one.
 */
public final class JobTopology {
    private final List<List<Integer>> hosts;
    private final List<HostGraphs> graphs;
    private final int[] hostOfRank;
    private final ChannelGraph ring;
    private final ChannelGraph tree;

    /** What a host's graphs depend on: hosts that are made alike are searched once. */
    private record HostKey(SystemXml xml, List<RankPlace> places) {
    }

    private JobTopology(List<List<Integer>> hosts, List<HostGraphs> graphs) {
        this.hosts = hosts;
        this.graphs = graphs;
        this.hostOfRank = new int[hosts.stream().mapToInt(List::size).sum()];
        for (int host = 0; host < hosts.size(); host++) {
            for (int rank : hosts.get(host)) {
                hostOfRank[rank] = host;
            }
        }
        int channels = graphs.stream().flatMap(graph -> Stream.of(graph.ring(), graph.tree()))
                .mapToInt(graph -> graph.channels().size()).min().orElseThrow();
        this.ring = agreed(graphs.stream().map(HostGraphs::ring).toList()).limited(channels);
        this.tree = agreed(graphs.stream().map(HostGraphs::tree).toList()).limited(channels);
    }

    /**
     * Of hosts that are made alike.
     *
     * @param xml    what each of them is made of
     * @param places by rank; their host ids say which ranks are on one host
     * @return rings and trees
     * @throws ProxyException as {@link TopologyGraph#of(SystemXml, List)}
     */
    public static JobTopology of(SystemXml xml, List<RankPlace> places) {
        return of(xml, places, NetDevsPolicy.AUTO);
    }

    /**
     * The same, with another number of adapters for each GPU.
     *
     * @param xml    what each of them is made of
     * @param places by rank
     * @param policy that says how many
     * @return rings and trees
     * @throws ProxyException as {@link TopologyGraph#of(SystemXml, List)}
     */
    public static JobTopology of(SystemXml xml, List<RankPlace> places, NetDevsPolicy policy) {
        Map<Long, SystemXml> documents = new HashMap<>();
        places.forEach(place -> documents.put(place.host(), xml));
        return of(documents, places, policy);
    }

    /**
     * Of any hosts.
     *
     * @param documents what each host is made of, by its id
     * @param places    by rank
     * @return rings and trees
     * @throws ProxyException as {@link TopologyGraph#of(SystemXml, List)}; also {@link ProxyResult#INVALID_ARGUMENT} if
     *                        there is no rank, or no document for a rank's host
     */
    public static JobTopology of(Map<Long, SystemXml> documents, List<RankPlace> places) {
        return of(documents, places, NetDevsPolicy.AUTO);
    }

    private static JobTopology of(Map<Long, SystemXml> documents, List<RankPlace> places, NetDevsPolicy policy) {
        Map<Long, List<Integer>> hosts = new LinkedHashMap<>();
        for (int rank = 0; rank < places.size(); rank++) {
            hosts.computeIfAbsent(places.get(rank).host(), host -> new ArrayList<>()).add(rank);
        }
        if (hosts.isEmpty() || !documents.keySet().containsAll(hosts.keySet())) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, places.size() + " ranks are on hosts "
                    + hosts.keySet() + ", and topologies are given of " + documents.keySet());
        }
        Map<HostKey, HostGraphs> known = new HashMap<>();
        List<HostGraphs> graphs = new ArrayList<>();
        hosts.forEach((host, ranks) -> {
            List<RankPlace> local = ranks.stream().map(places::get)
                    .map(place -> new RankPlace(0, place.gpu(), place.numaNode())).toList();
            graphs.add(known.computeIfAbsent(new HostKey(documents.get(host), local),
                    key -> HostGraphs.of(key.xml, key.places, policy, hosts.size() == 1)));
        });
        return new JobTopology(List.copyOf(hosts.values()), graphs);
    }

    /**
     * The same with rings and trees of a document instead of those that were found, on every host.
     *
     * @param xml with a ring, a tree or both, that suit each of the hosts
     * @return another topology
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if they do not
     */
    public JobTopology with(GraphXml xml) {
        return new JobTopology(hosts, graphs.stream().map(host -> host.with(xml)).toList());
    }

    /** The least of what all hosts have. */
    private static ChannelGraph agreed(List<ChannelGraph> all) {
        ChannelGraph least = all.getFirst();
        for (ChannelGraph graph : all) {
            least = new ChannelGraph(least.pattern(),
                    least.channels().size() <= graph.channels().size() ? least.channels() : graph.channels(),
                    Math.min(least.bwIntra(), graph.bwIntra()), Math.min(least.bwInter(), graph.bwInter()),
                    least.typeIntra().farther(graph.typeIntra()), least.typeInter().farther(graph.typeInter()),
                    Math.max(least.latencyInter(), graph.latencyInter()),
                    least.isSameChannels() && graph.isSameChannels(), Math.max(least.crossNic(), graph.crossNic()));
        }
        return least;
    }

    /**
     * How many channels there are, of rings and of trees.
     *
     * @return at least 1
     */
    public int channels() {
        return ring.channels().size();
    }

    /**
     * The hosts.
     *
     * @return the ranks of each, in their order; hosts by their lowest rank
     */
    public List<List<Integer>> hosts() {
        return hosts.stream().map(List::copyOf).toList();
    }

    /**
     * What all rings have in common, for a cost model: the least bandwidths and the farthest types of all hosts.
     *
     * @return a graph, whose channels are of one host, by the numbers that ranks have there
     */
    public ChannelGraph ringGraph() {
        return ring;
    }

    /**
     * What all trees have in common.
     *
     * @return as {@link #ringGraph()}
     */
    public ChannelGraph treeGraph() {
        return tree;
    }

    /**
     * The paths within a host.
     *
     * @param host from 0 on
     * @return with the numbers that its ranks have there
     */
    public Paths paths(int host) {
        return graphs.get(host).paths();
    }

    /**
     * The rings and trees of a host.
     *
     * @param host from 0 on
     * @return a document for {@link TopologyOptions#GRAPH_DUMP_FILE}
     */
    public GraphXml graphXml(int host) {
        return graphs.get(host).xml();
    }

    /**
     * The order of all ranks in a channel's ring.
     *
     * @param channel from 0 on
     * @return each rank once, host by host
     */
    public List<Integer> ring(int channel) {
        checkChannel(channel);
        return IntStream.range(0, hosts.size()).boxed()
                .flatMap(host -> global(host, ringOf(host, channel).ranks()).stream()).toList();
    }

    private ChannelGraph.Channel ringOf(int host, int channel) {
        return graphs.get(host).ring().channels().get(ring.onHost(channel, host % 2 == 1));
    }

    private List<Integer> global(int host, List<Integer> local) {
        return local.stream().map(hosts.get(host)::get).toList();
    }

    private void checkChannel(int channel) {
        if (channel < 0 || channel >= channels()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "channel " + channel + " is asked for, of " + channels());
        }
    }

    /**
     * The NIC by which a ring comes to a host, or leaves it.
     *
     * @param channel from 0 on
     * @param rank    the first or the last of its host in that ring
     * @return empty if there is one host, or nothing is known of the network; the proxy is a rank of the job
     */
    public Optional<NicChoice> ringNic(int channel, int rank) {
        checkChannel(channel);
        if (rank < 0 || rank >= hostOfRank.length) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no rank " + rank);
        }
        int host = hostOfRank[rank];
        List<Integer> ranks = hosts.get(host);
        return NicChoice.ofChannel(paths(host), graphs.get(host).ring(), ring.onHost(channel, host % 2 == 1),
                ranks.indexOf(rank)).map(choice -> new NicChoice(choice.net(), ranks.get(choice.proxy())));
    }

    /**
     * The two trees of a channel, each for half of the data. Most hosts that are inside one are leaves of the other.
     *
     * @param channel from 0 on
     * @return both
     */
    public List<RankTree> trees(int channel) {
        checkChannel(channel);
        return List.of(tree(channel, false), tree(channel, true));
    }

    private RankTree tree(int channel, boolean isSecond) {
        int[] parents = new int[hostOfRank.length];
        Arrays.fill(parents, -1);
        List<List<Integer>> children = new ArrayList<>();
        IntStream.range(0, parents.length).forEach(rank -> children.add(new ArrayList<>()));
        for (int host = 0; host < hosts.size(); host++) {
            List<Integer> chain = chain(host, channel);
            for (int i = 1; i < chain.size(); i++) {
                parents[chain.get(i)] = chain.get(i - 1);
                children.get(chain.get(i - 1)).add(chain.get(i));
            }
        }
        for (int host = 0; host < hosts.size(); host++) {
            BinaryTree place = BinaryTree.of(hosts.size(), host, isSecond);
            if (place.parent() >= 0) {
                int parent = head(place.parent(), channel, place.isFirstChild() ? 0 : 1);
                parents[chain(host, channel).getFirst()] = parent;
                children.get(parent).add(chain(host, channel).getFirst());
            }
        }
        return new RankTree(parents, children);
    }

    private List<Integer> chain(int host, int channel) {
        return global(host, graphs.get(host).tree().channels().get(channel).ranks());
    }

    /** The rank of a host to which its first or second child host sends. */
    private int head(int host, int channel, int child) {
        List<Integer> chain = chain(host, channel);
        boolean isNext = switch (graphs.get(host).tree().pattern()) {
            case TREE -> false;
            case SPLIT_TREE -> true;
            default -> child == 0;
        };
        return chain.get(isNext ? Math.min(1, chain.size() - 1) : 0);
    }
}
