/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.topology;

import io.proxyrt.topology.NodeType;
import io.proxyrt.topology.TopologyGraph;
import io.proxyrt.topology.TopologyLink;
import io.proxyrt.topology.TopologyNode;
import java.util.Locale;

/** A topology for Graphviz: links that go both ways alike are one edge. */
public final class TopologyDot {
    private TopologyDot() {
    }

    /**
     * Writes a graph.
     *
     * @param topology of a host
     * @return in Graphviz's language, without the end of its last line
     */
    public static String text(TopologyGraph topology) {
        StringBuilder text = new StringBuilder("graph topology {\n  node [shape=box, fontname=\"sans-serif\"];\n");
        for (TopologyNode node : topology.nodes()) {
            text.append(String.format(Locale.ROOT, "  n%d [label=\"%s\"%s];%n", node.index(),
                    quoted(node.type() == NodeType.GPU || node.type() == NodeType.NET ? node + "\n" + node.name()
                            : node.toString()), node.type() == NodeType.GPU ? ", style=filled" : ""));
        }
        for (TopologyNode node : topology.nodes()) {
            for (TopologyLink link : node.links()) {
                if (isDrawn(link)) {
                    text.append(String.format(Locale.ROOT, "  n%d -- n%d [label=\"%s %s\"%s];%n", node.index(),
                            link.to().index(), link.type(), TopologyReport.number(link.bandwidth()),
                            hasBack(link) ? "" : ", dir=forward"));
                }
            }
        }
        return text.append('}').toString();
    }

    private static String quoted(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /** Of two that are alike, the one that begins at the lower node. */
    static boolean isDrawn(TopologyLink link) {
        return link.from().index() < link.to().index() || !hasBack(link);
    }

    private static boolean hasBack(TopologyLink link) {
        return link.to().links().stream().anyMatch(back -> back.to() == link.from() && back.type() == link.type()
                && back.bandwidth() == link.bandwidth());
    }
}
