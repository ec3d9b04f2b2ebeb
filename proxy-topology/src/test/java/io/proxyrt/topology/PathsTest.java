/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathsTest {
    @ParameterizedTest
    @CsvSource({
        "pcie-4-sockets-2, 0, 1, PIX, 12", "pcie-4-sockets-2, 0, 2, SYS, 10", "pcie-2, 0, 1, PHB, 24",
        "nvswitch-8-nics-8, 0, 7, NVL, 370.8", "xgmi-8-all, 3, 4, NVL, 48", "asymmetric-5, 0, 1, NVL, 80",
        "asymmetric-5, 1, 2, NVL, 20", "asymmetric-5, 2, 3, SYS, 16", "asymmetric-5, 4, 3, PHB, 6",
        "ring-4, 0, 2, NVL, 80", "ring-4, 0, 1, NVB, 80"})
    void shouldFindTheWayBetweenGpus(String model, int from, int to, PathType type, double bandwidth) {
        TopologyPath path = path(Paths.of(Models.graph(model)), NodeType.GPU, from, to);
        assertEquals(type, path.type(), path::toString);
        assertEquals(bandwidth, path.bandwidth(), 0.01, path::toString);
        assertEquals(to, path.links().getLast().to().rank().orElseThrow());
    }

    @ParameterizedTest
    @CsvSource({
        "nvswitch-8-nics-8, 2, 2, PIX, 48, true", "nvswitch-8-nics-8, 2, 5, PXN, 48, true",
        "xgmi-8-nics-8, 2, 2, PIX, 48, true", "xgmi-8-nics-8, 2, 5, SYS, 16, false",
        "xgmi-8-nics-8, 2, 3, PHB, 48, false", "pcie-4-sockets-2, 0, 0, PHB, 12, false",
        "pcie-2, 0, 0, PHB, 0.31, false",
        "dual-port, 1, 1, PIX, 12.5, true", "asymmetric-5, 3, 0, PHB, 24, false"})
    void shouldFindTheWayToTheNetwork(String model, int gpu, int net, PathType type, double bandwidth, boolean isGdr) {
        Paths paths = Paths.of(Models.graph(model));
        TopologyPath path = path(paths, NodeType.NET, gpu, net);
        assertEquals(type, path.type(), path::toString);
        assertEquals(bandwidth, path.bandwidth(), 0.01, path::toString);
        assertEquals(isGdr, paths.isGdr(paths.graph().nodes(NodeType.GPU).get(gpu),
                paths.graph().nodes(NodeType.NET).get(net)));
    }

    private static TopologyPath path(Paths paths, NodeType type, int from, int to) {
        return paths.find(paths.graph().nodes(NodeType.GPU).get(from), paths.graph().nodes(type).get(to)).orElseThrow();
    }

    @Test
    void shouldNameTheCpuThatAWayGoesThrough() {
        Paths paths = Paths.of(Models.graph("pcie-4-sockets-2"));
        assertEquals("CPU/0", path(paths, NodeType.GPU, 1, 3).cpu().orElseThrow().toString());
        assertEquals("GPU/1 -PCI-> PCI/0000:10:00.0 -PCI-> CPU/0 -SYS-> CPU/1 -PCI-> PCI/0000:80:00.0 -PCI-> GPU/3",
                path(paths, NodeType.GPU, 1, 3).toString());
        assertTrue(path(paths, NodeType.GPU, 0, 1).cpu().isEmpty());
    }

    @Test
    void shouldGoThroughTheHostWhereGpusMayNotReachEachOther() {
        TopologyGraph graph = Models.graph("nvswitch-4-nics-2");
        Paths paths = Paths.of(graph, PathRules.of(graph).p2pLevel(PathType.LOC));
        assertEquals(PathType.PHB, path(paths, NodeType.GPU, 0, 1).type());
        assertEquals(PathType.SYS, path(paths, NodeType.GPU, 0, 3).type());
    }

    @Test
    void shouldGoThroughTheHostWhereNicsMayNotReachGpus() {
        TopologyGraph graph = Models.graph("dual-port");
        Paths paths = Paths.of(graph, PathRules.of(graph).gdrLevel(PathType.LOC));
        assertEquals(PathType.PHB, path(paths, NodeType.NET, 0, 0).type());
        assertFalse(paths.isGdr(graph.nodes(NodeType.GPU).getFirst(), graph.nodes(NodeType.NET).getFirst()));
    }

    @Test
    void shouldSendOverTheGpuThatTheNicBelongsTo() {
        TopologyGraph graph = Models.graph("nvswitch-8-nics-8");
        TopologyNode gpu = graph.nodes(NodeType.GPU).get(6);
        TopologyNode net = graph.nodes(NodeType.NET).get(1);
        Paths paths = Paths.of(graph);
        assertEquals("GPU/1", paths.proxy(gpu, net).toString());
        assertEquals("GPU/6", paths.proxy(gpu, graph.nodes(NodeType.NET).get(6)).toString());
        assertEquals("GPU/6 -NVL-> NVS/0 -NVL-> GPU/1 -PCI-> PCI/0000:20:00.0 -PCI-> NIC/0000:24:00.0 -NET-> NET/1",
                path(paths, NodeType.NET, 6, 1).toString());
        Paths without = Paths.of(graph, PathRules.of(graph).pxn(false));
        assertEquals(PathType.SYS, path(without, NodeType.NET, 6, 1).type());
        assertEquals("GPU/6", without.proxy(gpu, net).toString());
    }

    /** RCCL leaves PXN off, and does GDR over a CPU of Rome or later where both are directly at it. */
    @Test
    void shouldFollowRcclWhereItDiffers() {
        TopologyGraph graph = TopologyGraph.of(SystemXml.parse("x", SystemXmlTest.system(2,
                "<cpu numaid='0' arch='x86_64' vendor='AuthenticAMD' familyid='143' modelid='49'>"
                + "<pci busid='0000:41:00.0' class='0x060400'><pci busid='0000:43:00.0' class='0x03'>"
                + "<gpu gcn='908' gdr='1'/></pci></pci>"
                + "<pci busid='0000:45:00.0' class='0x03'><gpu gcn='908' gdr='1'/></pci>"
                + "<pci busid='0000:4a:00.0' class='0x02'><nic><net dev='0' gdr='1'/></nic></pci>"
                + "<pci busid='0000:61:00.0' class='0x02'><nic><net dev='1' gdr='1'/></nic></pci></cpu>")));
        Paths paths = Paths.of(graph);
        assertFalse(paths.rules().isPxn());
        // The one below a switch is two links from its CPU, as are the NICs; the other one is one link from it.
        assertEquals(List.of(true, false, false, false), graph.nodes(NodeType.GPU).stream()
                .flatMap(gpu -> graph.nodes(NodeType.NET).stream().map(net -> paths.isGdr(gpu, net))).toList());
    }

    @Test
    void shouldGiveEachGpuItsOwnNic() {
        Paths paths = Paths.of(Models.graph("nvswitch-8-nics-8"));
        for (int i = 0; i < 8; i++) {
            TopologyNode gpu = paths.graph().nodes(NodeType.GPU).get(i);
            TopologyNode net = paths.graph().nodes(NodeType.NET).get(i);
            assertEquals(net, paths.localNet(gpu, 0).orElseThrow());
            assertEquals(gpu, paths.localGpu(net).orElseThrow());
        }
    }

    @Test
    void shouldUseSeveralNicsInTurn() {
        Paths paths = Paths.of(Models.graph("dual-port"));
        List<TopologyNode> gpus = paths.graph().nodes(NodeType.GPU);
        assertEquals(List.of(0, 0, 0), nets(paths, gpus.getFirst()));
        assertEquals(List.of(1, 1, 1), nets(paths, gpus.getLast()));
        TopologyGraph one = TopologyGraph.of(Models.own("dual-port"), List.of(RankPlace.ofGpu(0, "0000:42:00.0")));
        assertEquals(List.of(0, 1, 0), nets(Paths.of(one), one.nodes(NodeType.GPU).getFirst()));
    }

    private static List<Integer> nets(Paths paths, TopologyNode gpu) {
        return IntStream.range(0, 3).mapToObj(channel -> paths.localNet(gpu, channel).orElseThrow().dev().orElseThrow())
                .toList();
    }
}
