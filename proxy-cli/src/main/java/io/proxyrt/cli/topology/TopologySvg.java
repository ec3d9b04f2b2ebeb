/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.topology;

import io.proxyrt.topology.NodeType;
import io.proxyrt.topology.TopologyGraph;
import io.proxyrt.topology.TopologyLink;
import io.proxyrt.topology.TopologyNode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A picture of a topology: CPUs on top, below each what is attached to it, and the GPUs' own links as arcs. */
public final class TopologySvg {
    private static final int CELL = 112;
    private static final int ROW = 78;
    private static final int WIDTH = 100;
    private static final int HEIGHT = 36;
    private static final int MARGIN = 24;
    private static final Map<NodeType, String> COLOURS = Map.of(NodeType.CPU, "#d9d9d9", NodeType.PCI, "#f3f3f3",
            NodeType.GPU, "#c6e5b3", NodeType.NVS, "#f8dfa5", NodeType.NIC, "#d6e4f5", NodeType.NET, "#b5d0ee");

    /** Of a text that stands on a line. */
    private static final String ON_LINE =
            "font-size=\"9\" fill=\"#555\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";

    private final TopologyGraph topology;
    private final Map<TopologyNode, Place> places = new HashMap<>();
    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder boxes = new StringBuilder();
    private double nextLeaf;
    private int depth;

    /** The middle of a node. */
    private record Place(double x, double y) {
    }

    private TopologySvg(TopologyGraph topology) {
        this.topology = topology;
    }

    /**
     * Draws it.
     *
     * @param topology of a host
     * @return an SVG document, without the end of its last line
     */
    public static String text(TopologyGraph topology) {
        return new TopologySvg(topology).draw();
    }

    private String draw() {
        topology.nodes(NodeType.CPU).forEach(cpu -> place(cpu, 0));
        double width = Math.max(1, nextLeaf) * CELL + 2 * MARGIN;
        topology.nodes(NodeType.NVS).forEach(nvs -> places.putIfAbsent(nvs, new Place(width / 2, y(++depth))));
        topology.nodes().forEach(this::drawNode);
        double height = y(depth) + HEIGHT + MARGIN + (hasArcs() ? ROW : 0);
        return String.format(Locale.ROOT, """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" font-family="sans-serif" font-size="11">
                <rect width="100%%" height="100%%" fill="white"/>
                %s%s</svg>""", width, height, lines, boxes);
    }

    private boolean hasArcs() {
        return topology.nodes(NodeType.GPU).stream().flatMap(gpu -> gpu.links().stream())
                .anyMatch(link -> link.to().type() == NodeType.GPU);
    }

    /** A node is above the middle of those below it. */
    private double place(TopologyNode node, int row) {
        depth = Math.max(depth, row);
        places.put(node, new Place(0, 0));
        List<TopologyNode> below = node.links().stream().filter(TopologySvg::isBranch).map(TopologyLink::to)
                .filter(child -> child.index() > node.index() && !places.containsKey(child))
                .sorted((one, other) -> Integer.compare(one.index(), other.index())).toList();
        double first = nextLeaf;
        double last = first;
        for (int i = 0; i < below.size(); i++) {
            last = place(below.get(i), row + 1);
            first = i == 0 ? last : first;
        }
        double column = below.isEmpty() ? nextLeaf++ : (first + last) / 2;
        places.put(node, new Place(MARGIN + (column + 0.5) * CELL, y(row)));
        return column;
    }

    private static boolean isBranch(TopologyLink link) {
        return link.type() == TopologyLink.Type.PCI || link.type() == TopologyLink.Type.NET;
    }

    private static double y(int row) {
        return MARGIN + HEIGHT / 2.0 + row * ROW;
    }

    private void drawNode(TopologyNode node) {
        Place place = places.get(node);
        boolean isNamed = node.type() == NodeType.GPU || node.type() == NodeType.NET;
        boxes.append(String.format(Locale.ROOT, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"4\" "
                        + "fill=\"%s\" stroke=\"#555\"/>%n", place.x - WIDTH / 2.0, place.y - HEIGHT / 2.0, WIDTH,
                HEIGHT, COLOURS.get(node.type())));
        String below = node.type() == NodeType.NVS ? "" : node.name();
        drawText(place.x, place.y + (below.isEmpty() ? 4 : -3), isNamed ? node.toString() : node.type().name());
        drawText(place.x, place.y + 11, below);
        node.links().stream().filter(TopologyDot::isDrawn).forEach(this::drawLink);
    }

    private void drawText(double x, double y, String text) {
        if (!text.isEmpty()) {
            boxes.append(String.format(Locale.ROOT, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>%n", x,
                    y, text.replace("&", "&amp;").replace("<", "&lt;")));
        }
    }

    private void drawLink(TopologyLink link) {
        Place from = places.get(link.from());
        Place to = places.get(link.to());
        boolean isArc = link.from().type() == NodeType.GPU && link.to().type() == NodeType.GPU;
        double low = Math.max(from.y, to.y) + HEIGHT / 2.0;
        String path = isArc ? String.format(Locale.ROOT, "M%.0f %.0fQ%.0f %.0f %.0f %.0f", from.x, from.y,
                (from.x + to.x) / 2, low + Math.min(2 * ROW, 30 + Math.abs(from.x - to.x) / 6), to.x, to.y)
                : String.format(Locale.ROOT, "M%.0f %.0fL%.0f %.0f", from.x, from.y, to.x, to.y);
        lines.append(String.format(Locale.ROOT, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\">"
                        + "<title>%s %s GB/s</title></path>%n", path, link.type() == TopologyLink.Type.NVL ? "#3f8f29"
                        : "#888", Math.clamp(link.bandwidth() / 24, 1, 6), link.type(),
                TopologyReport.number(link.bandwidth())));
        if (!isArc && link.type() != TopologyLink.Type.NVL) {
            boxes.append(String.format(Locale.ROOT, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\" %s>%s</text>%n",
                    (from.x + to.x) / 2, (from.y + to.y) / 2 + 3, ON_LINE, TopologyReport.number(link.bandwidth())));
        }
    }
}
