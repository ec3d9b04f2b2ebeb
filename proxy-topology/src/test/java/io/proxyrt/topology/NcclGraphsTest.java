/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Machines on which NCCL ran, and the graphs that it found there. */
class NcclGraphsTest {
    private static final Path FOLDER = Path.of(System.getProperty("basedir", "."), "src", "test", "resources", "nccl");
    /** Of NCCL's bandwidth. */
    private static final double LEAST = 0.95;

    @ParameterizedTest
    @ValueSource(strings = {"h200-2", "h200-4"})
    void shouldFindAsMuchBandwidthAsNccl(String machine) {
        SystemXml system = SystemXml.read(FOLDER.resolve(machine + ".xml"));
        GraphXml nccl = GraphXml.read(FOLDER.resolve(machine + "-graph.xml"));
        TopologyGraph topology = TopologyGraph.of(system).withoutNetworks();
        JobTopology job = JobTopology.of(system, Models.places(topology, 0));
        assertAtLeast(nccl.graph(GraphXml.RING, topology).orElseThrow(), job.ringGraph());
        assertAtLeast(nccl.graph(GraphXml.TREE, topology).orElseThrow(), job.treeGraph());
    }

    private static void assertAtLeast(ChannelGraph theirs, ChannelGraph own) {
        assertTrue(own.totalIntra() >= LEAST * theirs.totalIntra(),
                () -> "NCCL has " + theirs.totalIntra() + " GB/s, this " + own);
        assertEquals(theirs.typeIntra(), own.typeIntra());
    }

    /** Among them are some that it has no channels for, and patterns of switches that reduce. */
    @ParameterizedTest
    @ValueSource(strings = {"h200-2", "h200-4"})
    void shouldTakeTheGraphsOfNcclAsTheyAre(String machine) {
        SystemXml system = SystemXml.read(FOLDER.resolve(machine + ".xml"));
        TopologyGraph topology = TopologyGraph.of(system).withoutNetworks();
        List<RankPlace> places = Models.places(topology, 0);
        GraphXml nccl = GraphXml.read(FOLDER.resolve(machine + "-graph.xml"));
        JobTopology job = JobTopology.of(system, places).with(nccl);
        assertEquals(nccl.graph(GraphXml.RING, topology).orElseThrow(), job.ringGraph());
        assertEquals(places.size(), job.ring(0).size());
    }
}
