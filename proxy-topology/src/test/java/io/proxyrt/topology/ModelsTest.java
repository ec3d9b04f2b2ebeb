/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every machine there is: those of this project; and with {@code -Dtopology.models=FOLDER}, all others in a folder,
 * such as RCCL's {@code tools/topo_expl/models} and {@code topology} of aws-ofi-nccl.
 */
class ModelsTest {
    private static final int FEW_GPUS = 8;
    private static final int HOSTS = 5;

    static Stream<Path> machines() throws IOException {
        return Models.all().stream();
    }

    @Test
    void shouldReadTheModelsOfOthers() throws IOException {
        String folder = System.getProperty("topology.models", "");
        Assumptions.assumeFalse(folder.isEmpty(), "-Dtopology.models names no folder with models of others");
        assertTrue(machines().anyMatch(machine -> machine.startsWith(folder)), () -> "no *.xml is in " + folder);
    }

    @ParameterizedTest
    @MethodSource("machines")
    void shouldWriteWhatItReads(Path machine) {
        SystemXml xml = SystemXml.read(machine);
        assertEquals(xml, SystemXml.parse("written", xml.text()));
        assertEquals(xml.text(), SystemXml.parse("written", xml.text()).text());
    }

    @ParameterizedTest
    @MethodSource("machines")
    void shouldFindRingsAndTreesWithinTheLinks(Path machine) {
        for (Paths paths : variants(machine)) {
            GraphSearch search = new GraphSearch(paths);
            ChannelGraph ring = search.search(GraphPattern.RING, 1, HostGraphs.MAX_CHANNELS);
            check(paths, ring, search);
            int channels = ring.channels().size();
            ChannelGraph tree = search.search(GraphPattern.BALANCED_TREE, channels, channels);
            check(paths, tree, search);
        }
    }

    private static void check(Paths paths, ChannelGraph graph, GraphSearch search) {
        Set<Integer> all = new HashSet<>(paths.graph().nodes(NodeType.GPU).stream()
                .map(gpu -> gpu.rank().orElseThrow()).toList());
        for (ChannelGraph.Channel channel : graph.channels()) {
            assertEquals(all.size(), channel.ranks().size(), channel::toString);
            assertEquals(all, new HashSet<>(channel.ranks()), channel::toString);
        }
        assertTrue(graph.bwIntra() > 0.1, () -> "nothing but the fallback was found: " + graph);
        assertEquals(List.of(), new BruteForce(paths).overloaded(graph), graph::toString);
        assertTrue(search.steps() <= GraphSearch.MAX_STEPS, () -> search.steps() + " steps");
    }

    /**
     * On few GPUs every order can be tried: none that is used for all channels carries more, at any speed that the
     * search looks at once it has something, which is down to half of that.
     */
    @ParameterizedTest
    @MethodSource("machines")
    void shouldFindWhatTheBestOrderCarries(Path machine) {
        Paths paths = variants(machine).getFirst();
        int gpus = paths.graph().nodes(NodeType.GPU).size();
        Assumptions.assumeTrue(gpus > 1 && gpus <= FEW_GPUS, "too many GPUs to try all orders, or one");
        ChannelGraph ring = new GraphSearch(paths).search(GraphPattern.RING, 1, HostGraphs.MAX_CHANNELS);
        double best = new BruteForce(paths).best(ring.typeIntra());
        double inSteps = 0;
        for (double speed : Speeds.of(paths.graph())) {
            boolean isTried = speed >= ring.bwIntra() / 2;
            double channels = Math.min(HostGraphs.MAX_CHANNELS, Math.floor((best + 1e-6) / speed));
            inSteps = isTried ? Math.max(inSteps, speed * channels) : inSteps;
        }
        assertTrue(ring.totalIntra() >= inSteps - 1e-6,
                ring.totalIntra() + " GB/s, and one order for all channels carries " + inSteps);
    }

    @ParameterizedTest
    @MethodSource("machines")
    void shouldFindTheSameEachTime(Path machine) {
        List<RankPlace> places = places(machine, 2);
        SystemXml xml = SystemXml.read(machine);
        JobTopology one = JobTopology.of(xml, places);
        JobTopology other = JobTopology.of(SystemXml.parse("again", xml.text()), places);
        assertEquals(one.ringGraph(), other.ringGraph());
        assertEquals(one.treeGraph(), other.treeGraph());
        IntStream.range(0, one.channels()).forEach(channel -> assertEquals(one.ring(channel), other.ring(channel)));
    }

    @ParameterizedTest
    @MethodSource("machines")
    void shouldReadTheGraphsThatItWrites(Path machine) {
        JobTopology job = JobTopology.of(SystemXml.read(machine), places(machine, 2));
        GraphXml xml = job.graphXml(0);
        JobTopology again = job.with(GraphXml.parse("written", xml.text()));
        assertEquals(xml.text(), again.graphXml(1).text());
        assertEquals(job.ringGraph().channels(), again.ringGraph().channels());
        assertEquals(job.treeGraph().bwInter(), again.treeGraph().bwInter(), 1e-6);
    }

    @ParameterizedTest
    @MethodSource("machines")
    void shouldJoinSeveralHosts(Path machine) {
        List<RankPlace> places = places(machine, HOSTS);
        JobTopology job = JobTopology.of(SystemXml.read(machine), places);
        assertEquals(HOSTS, job.hosts().size());
        for (int channel = 0; channel < job.channels(); channel++) {
            List<Integer> ring = job.ring(channel);
            assertEquals(places.size(), new HashSet<>(ring).size());
            long borders = IntStream.range(0, ring.size()).filter(i -> places.get(ring.get(i)).host()
                    != places.get(ring.get((i + 1) % ring.size())).host()).count();
            assertEquals(HOSTS, borders, () -> "hosts are not whole in " + ring);
            for (RankTree tree : job.trees(channel)) {
                assertEquals(places.size(), reached(tree, tree.root()).size(), tree::toString);
            }
        }
    }

    private static Set<Integer> reached(RankTree tree, int rank) {
        Set<Integer> reached = new HashSet<>(Set.of(rank));
        assertTrue(tree.children(rank).size() <= 3, tree::toString);
        for (int child : tree.children(rank)) {
            assertEquals(rank, tree.parent(child), tree::toString);
            Set<Integer> below = reached(tree, child);
            assertFalse(below.stream().anyMatch(reached::contains), tree::toString);
            reached.addAll(below);
        }
        return reached;
    }

    /** Without networks, and with them if there are any. */
    private static List<Paths> variants(Path machine) {
        SystemXml xml = SystemXml.read(machine);
        TopologyGraph graph = TopologyGraph.of(xml, Models.places(TopologyGraph.of(xml), 0));
        return graph.nodes(NodeType.NET).isEmpty() ? List.of(Paths.of(graph))
                : List.of(Paths.of(graph.withoutNetworks()), Paths.of(graph));
    }

    /** Of hosts in turn, so that neighbours in numbers are on different hosts. */
    private static List<RankPlace> places(Path machine, int hosts) {
        TopologyGraph graph = TopologyGraph.of(SystemXml.read(machine));
        int ranks = Models.places(graph, 0).size();
        List<RankPlace> places = new ArrayList<>();
        for (int rank = 0; rank < ranks; rank++) {
            for (int host = 0; host < hosts; host++) {
                places.add(Models.places(graph, host).get(rank));
            }
        }
        return places;
    }
}
