/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.topology;

import io.proxyrt.cli.view.Table;
import io.proxyrt.topology.ChannelGraph;
import io.proxyrt.topology.JobTopology;
import io.proxyrt.topology.NodeType;
import io.proxyrt.topology.PathType;
import io.proxyrt.topology.Paths;
import io.proxyrt.topology.RankTree;
import io.proxyrt.topology.TopologyLink;
import io.proxyrt.topology.TopologyNode;
import io.proxyrt.topology.TopologyPath;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Prints a topology for people: the machine, the paths within it, rings and trees. */
public final class TopologyReport {
    private static final int LABEL = 10;
    private static final int CELL = 11;

    private final PrintWriter out;

    /**
     * A report.
     *
     * @param out gets it
     */
    public TopologyReport(PrintWriter out) {
        this.out = out;
    }

    /**
     * Prints all of it.
     *
     * @param source   what the topology comes from
     * @param problems what that does not say, a sentence each
     * @param machine  the paths of the first host, with its networks
     * @param job      rings and trees
     */
    public void print(String source, List<String> problems, Paths machine, JobTopology job) {
        out.println("Machine, from " + source + ": links in GB/s");
        problems.forEach(problem -> Table.line(out, "  not known", problem));
        machine.graph().nodes(NodeType.CPU).forEach(cpu -> printNode(cpu, null, "  "));
        machine.graph().nodes(NodeType.GPU).forEach(this::printLinks);
        printPaths(machine);
        printNics(machine);
        printGraph("Rings", job.ringGraph(), job);
        for (int channel = 0; channel < job.channels(); channel++) {
            List<Integer> ring = job.ring(channel);
            out.println(String.format("  %2d  %s", channel, ring.stream().map(String::valueOf)
                    .collect(Collectors.joining(" ")) + nics(channel, ring, job)));
        }
        printGraph("Trees", job.treeGraph(), job);
        for (int channel = 0; channel < job.channels(); channel++) {
            List<RankTree> trees = job.trees(channel);
            for (int half = 0; half < (job.hosts().size() > 1 ? 2 : 1); half++) {
                out.println(String.format("  %2d%s %s", channel, job.hosts().size() > 1 ? half == 0 ? "a" : "b" : " ",
                        nested(trees.get(half), trees.get(half).root())));
            }
        }
        out.flush();
    }

    private void printNode(TopologyNode node, TopologyLink from, String indent) {
        boolean isNamed = node.type() == NodeType.GPU || node.type() == NodeType.NET;
        out.println(indent + node + (isNamed ? " " + node.name() : "")
                + (from == null ? "" : "  " + number(from.bandwidth())));
        node.links().stream().filter(link -> link.type() == TopologyLink.Type.PCI
                        || link.type() == TopologyLink.Type.NET)
                .filter(link -> link.to().index() > node.index())
                .forEach(link -> printNode(link.to(), link, indent + "  "));
    }

    private void printLinks(TopologyNode gpu) {
        String links = gpu.links().stream().filter(link -> link.type() == TopologyLink.Type.NVL
                        || link.type() == TopologyLink.Type.C2C)
                .map(link -> link.to() + " " + number(link.bandwidth())).collect(Collectors.joining(", "));
        if (!links.isEmpty()) {
            out.println("  " + gpu + " directly to " + links);
        }
    }

    private void printPaths(Paths machine) {
        List<TopologyNode> ends = new ArrayList<>(machine.graph().nodes(NodeType.GPU));
        ends.addAll(machine.graph().nodes(NodeType.NET));
        if (ends.isEmpty()) {
            return;
        }
        out.println("\nPaths, and their GB/s");
        Table table = new Table(LABEL, CELL);
        out.println(table.row("", ends.stream().map(TopologyNode::toString).toList()));
        for (TopologyNode from : machine.graph().nodes(NodeType.GPU)) {
            out.println(table.row("  " + from, ends.stream().map(to -> from == to ? "-"
                    : machine.find(from, to).map(TopologyReport::text).orElse(PathType.DIS.name())).toList()));
        }
    }

    private static String text(TopologyPath path) {
        return path.type() + " " + number(path.bandwidth());
    }

    private void printNics(Paths machine) {
        if (machine.graph().nodes(NodeType.NET).isEmpty()) {
            return;
        }
        out.println("\nNIC of each GPU, channels in turn");
        for (TopologyNode gpu : machine.graph().nodes(NodeType.GPU)) {
            List<TopologyNode> nets = machine.localNets(gpu);
            Table.line(out, "  " + gpu, nets.isEmpty() ? "none" : nets.stream().map(nic -> nic + " " + nic.name() + ", "
                    + machine.find(gpu, nic).map(TopologyReport::text).orElse("") + " GB/s, "
                    + (machine.isGdr(gpu, nic) ? "reads and writes its memory (GDR)" : "through the host's memory"))
                    .collect(Collectors.joining("; then ")));
        }
    }

    private void printGraph(String title, ChannelGraph graph, JobTopology job) {
        String network = job.hosts().size() == 1 ? "" : ", " + number(graph.bwInter()) + " to the network ("
                + graph.typeInter() + ")";
        out.println("\n" + title + ": " + job.channels() + (job.channels() == 1 ? " channel of " : " channels of ")
                + number(graph.bwIntra()) + " GB/s within a host (" + graph.typeIntra() + ")" + network + ", pattern "
                + graph.pattern());
    }

    /** The NICs by which a ring, which has one host behind the other, goes from host to host. */
    private static String nics(int channel, List<Integer> ring, JobTopology job) {
        List<String> nics = new ArrayList<>();
        int end = 0;
        for (List<Integer> host : job.hosts()) {
            int first = ring.get(end);
            end += host.size();
            int last = ring.get(end - 1);
            job.ringNic(channel, first).ifPresent(in -> nics.add(in.net() + ">"
                    + job.ringNic(channel, last).orElseThrow().net()));
        }
        return nics.isEmpty() ? "" : "   nets " + String.join(" ", nics);
    }

    private static String nested(RankTree tree, int rank) {
        List<Integer> children = tree.children(rank);
        return children.isEmpty() ? String.valueOf(rank) : rank + children.stream()
                .map(child -> nested(tree, child)).collect(Collectors.joining(" ", "(", ")"));
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value).replaceAll("\\.?0+$", "");
    }
}
