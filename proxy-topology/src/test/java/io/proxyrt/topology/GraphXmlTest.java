/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphXmlTest {
    private static final String RING = """
            <graphs version="1">
              <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="10" speedinter="2.4" latencyinter="1.5" \
            typeintra="SYS" typeinter="PHB" samechannels="1">
                <channel>
                  <net dev="0x0"/>
                  <gpu dev="0x0"/>
                  <gpu dev="0x1"/>
                  <gpu dev="0x3"/>
                  <gpu dev="0x2"/>
                  <net dev="0x0"/>
                </channel>
              </graph>
            </graphs>
            """;
    private final TopologyGraph topology = Models.graph("pcie-4-sockets-2");

    @Test
    void shouldReadAGraph() {
        GraphXml xml = GraphXml.parse("x", RING);
        assertEquals(Optional.of(new ChannelGraph(GraphPattern.RING,
                List.of(new ChannelGraph.Channel(List.of(0, 1, 3, 2), 0, 0)), 10, 2.4, PathType.SYS, PathType.PHB, 1.5,
                true, 0)), xml.graph(GraphXml.RING, topology));
        assertEquals(Optional.empty(), xml.graph(GraphXml.TREE, topology));
        assertEquals(RING, xml.text());
    }

    @Test
    void shouldTakeRcclsWordForXgmi() {
        assertEquals(PathType.NVL, GraphXml.parse("x", RING.replace("\"SYS\"", "\"XGMI\"")).graph(0, topology)
                .orElseThrow().typeIntra());
    }

    @Test
    void shouldBeTakenInsteadOfWhatASearchFinds() {
        List<RankPlace> places = Models.places(topology, 0);
        List<RankPlace> two = new ArrayList<>(places);
        two.addAll(Models.places(topology, 1));
        JobTopology job = JobTopology.of(Models.own("pcie-4-sockets-2"), two).with(GraphXml.parse("x", RING));
        assertEquals(List.of(0, 1, 3, 2, 4, 5, 7, 6), job.ring(0));
        assertEquals(2.4, job.ringGraph().bwInter());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "version=\"1\"| version=\"2\"| of version 2",
        "pattern=\"4\"| pattern=\"9\"| x, line 2, has a <graph> with pattern=\"9\"; 1 to 4 (BAL",
        "nchannels=\"1\"| nchannels=\"2\"| nchannels=\"2\"",
        "nchannels=\"1\"| nchannels=\"65\"| nchannels=\"65\"",
        "nchannels=\"1\"| nchannels=\"0\"| nchannels=\"0\"",
        "speedintra=\"10\"| speedintra=\"0\"| greater than 0",
        "speedintra=\"10\"| speedintra=\"-4\"| speedintra",
        "speedintra=\"10\"| speedintra=\"Infinity\"| speedintra",
        "speedintra=\"10\"| x=\"10\"| x, line 2, has a <graph> without speedintra",
        "typeintra=\"SYS\"| typeintra=\"FAR\"| x, line 2, has a <graph> with typeintra=\"FAR\"; one of [LOC",
        "crossnic=\"0\"| crossnic=\"3\"| crossnic",
        "<gpu dev=\"0x2\"/>| <gpu dev=\"0x9\"/>| line 8, has a <gpu> with dev=\"0x9\"; a number that the topology has",
        "<gpu dev=\"0x2\"/>| <gpu dev=\"0x1\"/>| each of 4 GPUs once",
        "<gpu dev=\"0x2\"/>| <net dev=\"0x0\"/>| each of 4 GPUs once",
        "<gpu dev=\"0x2\"/>| ''| a channel of 3 GPUs and 2 nets"})
    void shouldRefuseWhatDoesNotSuitTheTopology(String what, String instead, String message) {
        String text = RING.replace(what, instead);
        ProxyException e = assertThrows(ProxyException.class,
                () -> GraphXml.parse("x", text).graph(GraphXml.RING, topology));
        assertTrue(e.getMessage().contains(message), e::getMessage);
        assertEquals(message.startsWith("of version") ? ProxyResult.INVALID_USAGE : ProxyResult.INVALID_ARGUMENT,
                e.result());
    }
}
