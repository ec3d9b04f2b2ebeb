/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.OwnFile;
import io.proxyrt.topology.xml.XmlDocument;
import io.proxyrt.topology.xml.XmlElement;
import io.proxyrt.topology.xml.XmlValues;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Rings and trees of a host as the XML that {@code NCCL_GRAPH_FILE} names and {@code NCCL_GRAPH_DUMP_FILE} gets.
 * Immutable; any thread. What is read is taken within the limits of {@link SystemXml}, and is checked against the
 * topology that it is for: each GPU has to be in each channel once.
 */
public final class GraphXml {
    /** The id of rings in such a document. */
    public static final int RING = 0;
    /** The id of trees. */
    public static final int TREE = 1;
    private static final int VERSION = 1;
    private static final double MAX_BANDWIDTH = 1e6;
    private static final XmlDocument.Grammar GRAMMAR = new XmlDocument.Grammar("graphs", Map.of(
            "graphs", Set.of("graph"), "graph", Set.of("channel"), "channel", Set.of("net", "gpu")), 65536);

    private final XmlElement root;
    private final XmlValues values;

    private GraphXml(String what, XmlElement root) {
        this.root = root;
        this.values = new XmlValues(what);
        int version = values.needed(root, "version", Integer.MIN_VALUE, Integer.MAX_VALUE);
        if (version != VERSION) {
            throw new ProxyException(ProxyResult.INVALID_USAGE,
                    what + " is of version " + version + "; " + VERSION + " is taken");
        }
    }

    /**
     * Reads a file.
     *
     * @param file a regular one, of 4 MiB at most
     * @return what it says
     * @throws ProxyException as {@link SystemXml#read}
     */
    public static GraphXml read(Path file) {
        return parse(file.toString(), XmlDocument.text(file));
    }

    /**
     * Reads a text.
     *
     * @param what where it comes from, for messages
     * @param text the document
     * @return what it says
     * @throws ProxyException as {@link SystemXml#read}
     */
    public static GraphXml parse(String what, String text) {
        return new GraphXml(what, XmlDocument.parse(what, text, GRAMMAR));
    }

    /**
     * Rings and trees.
     *
     * @param topology of the host, whose numbers GPUs have
     * @param ring     its rings
     * @param tree     its trees
     * @return the document
     */
    public static GraphXml of(TopologyGraph topology, ChannelGraph ring, ChannelGraph tree) {
        return new GraphXml("graphs", XmlElement.of("graphs").set("version", VERSION)
                .add(element(topology, RING, ring)).add(element(topology, TREE, tree)).build());
    }

    private static XmlElement element(TopologyGraph topology, int id, ChannelGraph graph) {
        XmlElement.Builder element = XmlElement.of("graph").set("id", id).set("pattern", graph.pattern().number())
                .set("crossnic", graph.crossNic()).set("nchannels", graph.channels().size())
                .set("speedintra", text(graph.bwIntra())).set("speedinter", text(graph.bwInter()))
                .set("latencyinter", text(graph.latencyInter())).set("typeintra", graph.typeIntra())
                .set("typeinter", graph.typeInter()).set("samechannels", graph.isSameChannels() ? 1 : 0);
        for (ChannelGraph.Channel channel : graph.channels()) {
            XmlElement.Builder child = XmlElement.of("channel");
            if (channel.netIn() >= 0) {
                child.add(dev("net", channel.netIn()));
            }
            for (int rank : channel.ranks()) {
                child.add(dev("gpu", topology.nodes(NodeType.GPU).stream().filter(gpu -> gpu.gpu().rank() == rank)
                        .findFirst().orElseThrow().gpu().dev()));
            }
            if (channel.netOut() >= 0) {
                child.add(dev("net", channel.netOut()));
            }
            element.add(child.build());
        }
        return element.build();
    }

    private static XmlElement dev(String name, int number) {
        return XmlElement.of(name).set("dev", "0x" + Integer.toHexString(number)).build();
    }

    private static String text(double value) {
        String text = String.format(Locale.ROOT, "%.6f", value);
        return text.replaceAll("\\.?0+$", "");
    }

    /**
     * The document.
     *
     * @return as NCCL writes it
     */
    public String text() {
        return XmlDocument.write(root);
    }

    /**
     * Writes a file, with {@link #text()} in it; one that is there is replaced, whole at once.
     *
     * @param file where to
     * @throws ProxyException {@link ProxyResult#SYSTEM_ERROR} if it cannot be written
     */
    public void write(Path file) {
        OwnFile.write(file, text());
    }

    /**
     * A graph.
     *
     * @param id       {@link #RING} or {@link #TREE}
     * @param topology that it is for
     * @return empty if the document has none of that id
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it does not suit the topology
     */
    public Optional<ChannelGraph> graph(int id, TopologyGraph topology) {
        return root.children().stream().filter(graph -> values.needed(graph, "id", 0, Integer.MAX_VALUE) == id)
                .findFirst().map(graph -> graph(graph, topology));
    }

    private ChannelGraph graph(XmlElement graph, TopologyGraph topology) {
        GraphPattern pattern = GraphPattern.of(values.needed(graph, "pattern", 0, Integer.MAX_VALUE)).orElseThrow(
                () -> values.wrong(graph, "pattern", "1 to 4 (BALANCED_TREE, SPLIT_TREE, TREE and RING)"));
        int count = values.needed(graph, "nchannels", 1, GraphSearch.MAX_CHANNELS);
        if (graph.children().size() != count) {
            throw values.wrong(graph, "nchannels", "the number of its channels, " + graph.children().size() + ",");
        }
        List<ChannelGraph.Channel> channels = graph.children().stream().map(channel -> channel(channel, topology))
                .toList();
        return new ChannelGraph(pattern, channels, bandwidth(graph, "speedintra"), bandwidth(graph, "speedinter"),
                pathType(graph, "typeintra"), pathType(graph, "typeinter"),
                values.fraction(graph, "latencyinter", 0, 1e9), values.number(graph, "samechannels", 0, 0, 1) == 1,
                values.number(graph, "crossnic", 0, 0, 2));
    }

    private PathType pathType(XmlElement graph, String key) {
        return PathType.find(values.text(graph, key)).orElseThrow(() -> values.wrong(graph, key,
                "one of " + Arrays.toString(PathType.values())));
    }

    private double bandwidth(XmlElement graph, String key) {
        values.text(graph, key);
        double bandwidth = values.fraction(graph, key, 0, MAX_BANDWIDTH);
        if (bandwidth <= 0) {
            throw values.wrong(graph, key, "a bandwidth greater than 0");
        }
        return bandwidth;
    }

    private ChannelGraph.Channel channel(XmlElement channel, TopologyGraph topology) {
        List<TopologyNode> gpus = topology.nodes(NodeType.GPU);
        List<Integer> nets = new ArrayList<>();
        Set<Integer> ranks = new HashSet<>();
        List<Integer> order = new ArrayList<>();
        for (XmlElement child : channel.children()) {
            boolean isGpu = child.name().equals("gpu");
            int dev = values.needed(child, "dev", 0, Integer.MAX_VALUE);
            TopologyNode node = topology.nodes(isGpu ? NodeType.GPU : NodeType.NET).stream()
                    .filter(known -> known.dev().orElse(-1) == dev).findFirst()
                    .orElseThrow(() -> values.wrong(child, "dev", "a number that the topology has"));
            if (!isGpu) {
                nets.add(dev);
            } else if (ranks.add(node.gpu().rank())) {
                order.add(node.gpu().rank());
            }
        }
        boolean isWhole = order.size() == gpus.size() && channel.children("gpu").size() == gpus.size();
        if (!isWhole || nets.size() != (topology.nodes(NodeType.NET).isEmpty() ? 0 : 2)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, values.what() + " has a channel of "
                    + channel.children("gpu").size() + " GPUs and " + nets.size() + " nets; each of " + gpus.size()
                    + " GPUs once is wanted, between two nets if there are any");
        }
        return new ChannelGraph.Channel(order, nets.isEmpty() ? -1 : nets.getFirst(),
                nets.isEmpty() ? -1 : nets.getLast());
    }
}
