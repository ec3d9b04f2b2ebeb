/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.ProxyException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GraphSearchTest {
    /** Found once, and kept: a change of them is a change of what jobs do. */
    @ParameterizedTest
    @CsvSource({
        "nvswitch-8-nics-8, false, 12, 30, 30, NVL, PIX", "nvswitch-8-nics-8, true, 8, 48, 48, NVL, PIX",
        "xgmi-8-all, false, 28, 12, 12, NVL, LOC", "pcie-4-sockets-2, false, 1, 10, 10, SYS, PIX",
        "pcie-4-sockets-2, true, 1, 10, 10, SYS, SYS", "ring-4, false, 8, 20, 20, NVL, PIX",
        "dual-port, true, 2, 12, 12, PIX, PIX", "pcie-2, true, 1, 0.24, 0.24, PHB, PHB"})
    void shouldFindRings(String model, boolean isOverNet, int channels, double bwIntra, double bwInter,
            PathType typeIntra, PathType typeInter) {
        TopologyGraph graph = Models.graph(model);
        ChannelGraph ring = new GraphSearch(Paths.of(isOverNet ? graph : graph.withoutNetworks()))
                .search(GraphPattern.RING, 1, 32);
        assertEquals(List.of(channels, bwIntra, bwInter, typeIntra, typeInter), List.of(ring.channels().size(),
                ring.bwIntra(), ring.bwInter(), ring.typeIntra(), ring.typeInter()));
    }

    @Test
    void shouldGoRoundTheRingThatLinksMake() {
        ChannelGraph ring = new GraphSearch(Paths.of(Models.graph("ring-4"))).search(GraphPattern.RING, 1, 32);
        for (ChannelGraph.Channel channel : ring.channels()) {
            assertEquals(1, Math.abs(channel.ranks().indexOf(0) - channel.ranks().indexOf(2)) % 2, channel::toString);
        }
    }

    @Test
    void shouldUseEachLinkAlikeWhereAllGpusAreJoined() {
        ChannelGraph ring = new GraphSearch(Paths.of(Models.graph("xgmi-8-all"))).search(GraphPattern.RING, 1, 32);
        Map<List<Integer>, Integer> uses = new HashMap<>();
        for (ChannelGraph.Channel channel : ring.channels()) {
            IntStream.range(0, 8).forEach(i -> uses.merge(
                    List.of(channel.ranks().get(i), channel.ranks().get((i + 1) % 8)), 1, Integer::sum));
        }
        assertEquals(56, uses.size());
        assertEquals(List.of(4), uses.values().stream().distinct().toList());
        assertEquals(14, new GraphSearch(Paths.of(Models.graph("xgmi-8-all"))).search(GraphPattern.RING, 1, 16)
                .channels().size());
    }

    /** Rings that cross come back: each NIC has as many in as out. */
    @Test
    void shouldUseEachNicBothWays() {
        ChannelGraph ring = new GraphSearch(Paths.of(Models.graph("nvswitch-8-nics-8")))
                .search(GraphPattern.RING, 1, 32);
        assertEquals(2, ring.crossNic());
        assertEquals(ring.channels().stream().map(ChannelGraph.Channel::netIn).sorted().toList(),
                ring.channels().stream().map(ChannelGraph.Channel::netOut).sorted().toList());
        assertEquals(8, ring.channels().stream().map(ChannelGraph.Channel::netIn).distinct().count());
    }

    @Test
    void shouldPutOneRankInAChannelOfItsOwn() {
        TopologyGraph graph = TopologyGraph.of(Models.own("dual-port"), List.of(RankPlace.ofGpu(0, "0000:43:00.0")));
        for (GraphPattern pattern : List.of(GraphPattern.RING, GraphPattern.BALANCED_TREE)) {
            ChannelGraph found = new GraphSearch(Paths.of(graph)).search(pattern, 1, 32);
            assertEquals(List.of(0), found.channels().getFirst().ranks());
            assertEquals(pattern == GraphPattern.RING ? GraphPattern.RING : GraphPattern.TREE, found.pattern());
        }
        assertTrue(new GraphSearch(Paths.of(graph.withoutNetworks())).search(GraphPattern.RING, 1, 32).bwIntra() >= 3);
    }

    /** As a GPU whose slot has no way out. */
    @Test
    void shouldFallBackToTheOrderOfGpus() {
        TopologyGraph graph = TopologyGraphTest.graph("<cpu numaid='0'>"
                + "<pci busid='0000:01:00.0' class='0x03' link_speed='2.5 GT/s' link_width='1'><gpu dev='0'/></pci>"
                + "<nic><net dev='0' speed='1'/></nic></cpu>");
        ChannelGraph ring = new GraphSearch(Paths.of(graph)).search(GraphPattern.RING, 1, 32);
        assertEquals(List.of(0.1, PathType.SYS, List.of(0)), List.of(ring.bwIntra(), ring.typeIntra(),
                ring.channels().getFirst().ranks()));
    }

    @Test
    void shouldRefuseNumbersOutOfTheirRange() {
        GraphSearch search = new GraphSearch(Paths.of(Models.graph("pcie-2")));
        assertThrows(ProxyException.class, () -> search.search(GraphPattern.RING, 0, 1));
        assertThrows(ProxyException.class, () -> search.search(GraphPattern.RING, 3, 2));
        assertThrows(ProxyException.class, () -> search.search(GraphPattern.RING, 1, GraphSearch.MAX_CHANNELS + 1));
        assertThrows(ProxyException.class, () -> new GraphSearch(Paths.of(Models.graph("laptop"))));
    }

    /** As many GPUs, and links as wide, as a document can have: each rank of a channel is a level of the search. */
    @Test
    void shouldFitTheStackOfAThread() throws InterruptedException {
        TopologyGraph host = TopologyGraphTest.graph("<cpu numaid='0'>" + mostGpus() + "</cpu>");
        GraphSearch search = new GraphSearch(Paths.of(host));
        List<ChannelGraph> found = new CopyOnWriteArrayList<>();
        Thread small = new Thread(null, () -> {
            found.add(search.search(GraphPattern.RING, 1, GraphSearch.MAX_CHANNELS));
            found.add(search.search(GraphPattern.BALANCED_TREE, 8, 8));
        }, "small stack", 512 << 10);
        small.start();
        small.join();
        assertEquals(List.of(8, 8), found.stream().map(graph -> graph.channels().size()).toList());
    }

    private static String mostGpus() {
        return IntStream.range(0, TopologyGraph.MAX_NODES).mapToObj(gpu -> String.format("<pci busid="
                + "'0000:%02x:00.0' class='0x03' link_speed='64 GT/s' link_width='1024'><gpu dev='%d' sm='90'/></pci>",
                gpu, gpu)).collect(Collectors.joining());
    }

    /** Each of 64 GPUs has 64 paths of 42 links to a network, of which none carries what is left. */
    @Test
    void shouldTakeLinksThatItLooksAtForSteps() {
        String switches = IntStream.range(0, 40).mapToObj(i -> String.format("<pci busid='0001:%02x:00.0' "
                + "class='0x060400' link_speed='64 GT/s' link_width='1024'>", i)).collect(Collectors.joining());
        String nics = IntStream.range(0, TopologyGraph.MAX_NODES).mapToObj(nic -> String.format("<pci busid="
                + "'0002:%02x:00.0' class='0x02' link_speed='32 GT/s' link_width='16'><nic><net dev='%d' "
                + "speed='4000000'/></nic></pci>", nic, nic)).collect(Collectors.joining());
        TopologyGraph graph = TopologyGraphTest.graph("<cpu numaid='0' arch='x86_64' vendor='GenuineIntel' "
                + "familyid='6' modelid='207'>" + switches + mostGpus() + "</pci>".repeat(40) + nics + "</cpu>");
        GraphSearch search = new GraphSearch(Paths.of(graph));
        assertEquals(8, search.search(GraphPattern.RING, 1, 32).channels().size());
        assertTrue(search.steps() > 100_000 && search.steps() <= GraphSearch.MAX_STEPS, () -> search.steps()
                + " steps");
    }

    /** Machines of 2 to 16 GPUs that chance made, with links of any widths: the budget holds, and so do the links. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void shouldKeepWithinItsBudgetOnAnyMachine(long seed) {
        TopologyGraph graph = TopologyGraph.of(SystemXml.parse("seed " + seed, machine(new Random(seed))));
        for (TopologyGraph variant : List.of(graph, graph.withoutNetworks())) {
            Paths paths = Paths.of(variant);
            GraphSearch search = new GraphSearch(paths);
            ChannelGraph ring = search.search(GraphPattern.RING, 1, 32);
            int gpus = variant.nodes(NodeType.GPU).size();
            assertTrue(search.steps() <= GraphSearch.MAX_STEPS, () -> search.steps() + " steps");
            assertTrue(ring.channels().stream().allMatch(channel -> new HashSet<>(channel.ranks()).size() == gpus
                    && channel.ranks().size() == gpus), ring::toString);
            if (ring.bwIntra() > 0.1) {
                assertEquals(List.of(), new BruteForce(paths).overloaded(ring), ring::toString);
            }
        }
    }

    private static String machine(Random random) {
        int gpus = 2 + random.nextInt(15);
        StringBuilder text = new StringBuilder("<system version='1'>");
        for (int cpu = 0; cpu < 2; cpu++) {
            text.append("<cpu numaid='").append(cpu).append("' arch='x86_64' vendor='")
                    .append(random.nextBoolean() ? "AuthenticAMD" : "GenuineIntel")
                    .append("' familyid='6' modelid='143'>");
            for (int gpu = cpu; gpu < gpus; gpu += 2) {
                text.append(gpu(random, gpu, gpus));
            }
            text.append("<nic><net dev='").append(cpu).append("' speed='").append(25_000 << random.nextInt(5))
                    .append("'/></nic></cpu>");
        }
        return text + "</system>";
    }

    private static String gpu(Random random, int gpu, int gpus) {
        StringBuilder text = new StringBuilder(String.format("<pci busid='0000:%02x:00.0' class='0x03' "
                + "link_speed='%s GT/s' link_width='%d'><gpu dev='%d' sm='%d'>", gpu,
                List.of("8", "16", "32").get(random.nextInt(3)), 8 << random.nextInt(2), gpu, 70 + random.nextInt(40)));
        Stream.generate(() -> random.nextInt(gpus)).limit(4).distinct().filter(other -> other != gpu)
                .forEach(other -> text.append(String.format("<nvlink target='0000:%02x:00.0' count='%d'/>", other,
                        1 + random.nextInt(4))));
        return text + "</gpu></pci>";
    }
}
