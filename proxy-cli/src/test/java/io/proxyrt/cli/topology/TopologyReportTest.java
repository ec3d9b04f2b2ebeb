/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.topology.JobTopology;
import io.proxyrt.topology.NodeType;
import io.proxyrt.topology.Paths;
import io.proxyrt.topology.RankPlace;
import io.proxyrt.topology.SystemXml;
import io.proxyrt.topology.TopologyGraph;
import io.proxyrt.topology.TopologyNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyReportTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolveSibling("");
    private static final String MODELS = "proxy-topology/src/test/resources/models/";

    /** The page shows what the command prints. */
    @Test
    void shouldPrintWhatThePageShows() throws IOException {
        String source = MODELS + "pcie-4-sockets-2.xml";
        SystemXml xml = SystemXml.read(ROOT.resolve(source));
        List<RankPlace> places = new ArrayList<>();
        for (int host = 0; host < 2; host++) {
            for (TopologyNode gpu : TopologyGraph.of(xml).nodes(NodeType.GPU)) {
                places.add(RankPlace.ofGpu(host, gpu.name()));
            }
        }
        StringWriter text = new StringWriter();
        new TopologyReport(new PrintWriter(text)).print(source, List.of(), Paths.of(TopologyGraph.of(xml)),
                JobTopology.of(xml, places));
        String page = Files.readString(ROOT.resolve("docs/topology.md"));
        String printed = text.toString().replace(System.lineSeparator(), "\n");
        assertTrue(page.contains("```\n" + printed + "```\n"), printed);
    }

    @Test
    void shouldSayWhatIsNotKnown() throws IOException {
        SystemXml xml = SystemXml.read(ROOT.resolve(MODELS + "pcie-2.xml"));
        TopologyGraph graph = TopologyGraph.of(xml);
        List<RankPlace> places = graph.nodes(NodeType.GPU).stream().map(gpu -> RankPlace.ofGpu(0, gpu.name())).toList();
        StringWriter text = new StringWriter();
        new TopologyReport(new PrintWriter(text)).print("x", List.of("no driver"), Paths.of(graph),
                JobTopology.of(xml, places));
        assertTrue(text.toString().lines().toList().get(1).matches("  not known +no driver"), text::toString);
    }

    /** {@code ./proxyrt info topology --xml FILE --svg docs/topology.svg} makes it. */
    @Test
    void shouldDrawThePicture() throws IOException {
        assertEquals(Files.readString(ROOT.resolve("docs/topology.svg")).strip(),
                TopologySvg.text(graph("nvswitch-8-nics-8")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"xgmi-8-nics-8", "asymmetric-5", "laptop", "nvswitch-4-nics-2"})
    void shouldDrawEachNodeOnce(String model) throws IOException {
        TopologyGraph graph = graph(model);
        assertEquals(graph.nodes().size() + 1, TopologySvg.text(graph).split("<rect ").length - 1);
        String dot = TopologyDot.text(graph);
        graph.nodes().forEach(node -> assertTrue(dot.contains("n" + node.index() + " [label=\"" + node), dot));
    }

    @Test
    void shouldWriteALinkThatGoesBothWaysOnce() throws IOException {
        String dot = TopologyDot.text(graph("ring-4"));
        assertEquals(8, dot.lines().filter(line -> line.contains(" -- ")).count(), dot);
        assertTrue(dot.contains("n1 -- n3 [label=\"NVL 80\"];"), dot);
    }

    private static TopologyGraph graph(String model) throws IOException {
        return TopologyGraph.of(SystemXml.read(ROOT.resolve(MODELS + model + ".xml")));
    }
}
