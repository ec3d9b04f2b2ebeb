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
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TopologyGraphTest {
    private static final String GPU = "<pci busid='0000:0%d:00.0' class='0x030200'><gpu dev='%1$d' sm='80'/></pci>";

    @Test
    void shouldHaveAllNodesAndLinks() {
        TopologyGraph graph = Models.graph("pcie-4-sockets-2");
        assertEquals(List.of("CPU/0", "PCI/0000:10:00.0", "GPU/0", "GPU/1", "NIC/0000:20:00.0", "NET/0", "CPU/1",
                "PCI/0000:80:00.0", "GPU/2", "GPU/3"), graph.nodes().stream().map(TopologyNode::toString).toList());
        assertEquals(List.of("PCI/0000:10:00.0 -PCI-> GPU/0 12.0", "PCI/0000:10:00.0 -PCI-> GPU/1 12.0",
                "PCI/0000:10:00.0 -PCI-> CPU/0 12.0"), links(graph.nodes().get(1)));
        assertEquals(List.of("NET/0 -NET-> NIC/0000:20:00.0 12.5"), links(graph.nodes().get(5)));
        assertTrue(links(graph.nodes().getFirst()).contains("CPU/0 -SYS-> CPU/1 10.0"));
    }

    private static List<String> links(TopologyNode node) {
        return node.links().stream().map(link -> link + " " + link.bandwidth()).toList();
    }

    @Test
    void shouldBundleLinksByTheirNumber() {
        assertEquals(List.of("GPU/0 -NVL-> NVS/0 370.8", "GPU/0 -PCI-> PCI/0000:10:00.0 48.0"),
                links(Models.graph("nvswitch-8-nics-8").nodes(NodeType.GPU).getFirst()).stream()
                        .map(text -> text.replaceAll("(\\.\\d)\\d*$", "$1")).toList());
        assertEquals(48, Models.graph("xgmi-8-all").nodes(NodeType.GPU).getFirst().links().getFirst().bandwidth());
    }

    @Test
    void shouldTakeFunctionsOfOneAdapterForOne() {
        TopologyGraph graph = Models.graph("dual-port");
        assertEquals(1, graph.nodes(NodeType.NIC).size());
        assertEquals(2, graph.nodes(NodeType.NET).size());
    }

    @Test
    void shouldTakeADeviceWithNothingInItForAGpu() {
        TopologyGraph graph = graph("<cpu numaid='0'><pci busid='0000:01:00.0' class='0x030200'/>"
                + "<pci busid='0000:02:00.0' class='0x030200'/><pci busid='0000:03:00.0' class='0x020000'/></cpu>");
        assertEquals(List.of(0, 1), graph.nodes(NodeType.GPU).stream().map(gpu -> gpu.rank().orElseThrow()).toList());
        assertEquals(3, graph.nodes().size());
    }

    @Test
    void shouldLeaveOutGpusThatNoRankUses() {
        TopologyGraph graph = TopologyGraph.of(Models.own("xgmi-8-all"),
                List.of(RankPlace.ofGpu(0, "0000:65:00.0"), RankPlace.ofGpu(0, "0000:05:00.0")));
        assertEquals(List.of("GPU/1", "GPU/0"),
                graph.nodes(NodeType.GPU).stream().map(TopologyNode::toString).toList());
        assertEquals(1, graph.nodes(NodeType.GPU).getFirst().links().stream()
                .filter(link -> link.type() == TopologyLink.Type.NVL).count());
    }

    @Test
    void shouldPlaceRanksOfTheHostDeviceOnNumaNodes() {
        TopologyGraph graph = TopologyGraph.of(Models.own("host-numa-2"),
                List.of(RankPlace.ofHostDevice(0, 1), RankPlace.ofHostDevice(0, 0), RankPlace.ofHostDevice(0, 1)));
        assertEquals(List.of("GPU/0 -PCI-> CPU/1 12.0"), links(graph.nodes(NodeType.GPU).getFirst()));
        assertEquals(List.of("GPU/1 -PCI-> CPU/0 12.0"), links(graph.nodes(NodeType.GPU).get(1)));
    }

    @Test
    void shouldRefuseRanksThatHaveNoPlace() {
        SystemXml xml = Models.own("pcie-2");
        RankPlace first = RankPlace.ofGpu(0, "0000:01:00.0");
        assertRefused(ProxyResult.INVALID_USAGE, "ranks 0 and 1 of a host both use the GPU at 0000:01:00.0", xml, first,
                first);
        assertRefused(ProxyResult.INVALID_ARGUMENT, "no GPU at 0000:77:00.0, which rank 1", xml, first,
                RankPlace.ofGpu(0, "0000:77:00.0"));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "no NUMA node 9", xml, RankPlace.ofHostDevice(0, 9));
        assertRefused(ProxyResult.INVALID_ARGUMENT, "no rank is placed", xml);
        assertThrows(ProxyException.class, () -> RankPlace.ofGpu(0, "card0"));
    }

    private static void assertRefused(ProxyResult result, String message, SystemXml xml, RankPlace... places) {
        ProxyException e = assertThrows(ProxyException.class, () -> TopologyGraph.of(xml, List.of(places)));
        assertEquals(result, e.result());
        assertTrue(e.getMessage().contains(message), e::getMessage);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "<cpu/> | without numaid",
        "<cpu numaid='-2'/> | numaid=\"-2\"",
        "<cpu numaid='0'/><cpu numaid='0'/> | numaid=\"0\"",
        "<cpu numaid='0' familyid='0x7fffffffff'/> | familyid",
        "<cpu numaid='0'><pci class='0x060400'/></cpu> | without busid",
        "<cpu numaid='0'><pci busid='here'/></cpu> | busid=\"here\"",
        "<cpu numaid='0'><pci busid='0000:01:00.0'/><pci busid='0000:01:00.0'/></cpu> | no other <pci> has",
        "<cpu numaid='0'><pci busid='0000:01:00.0' link_width='-16'/></cpu> | link_width=\"-16\"",
        "<cpu numaid='0'><pci busid='0000:01:00.0' link_width='2000000000'/></cpu> | link_width",
        "<cpu numaid='0'><pci busid='0000:01:00.0' class='0x03'><gpu dev='-1'/></pci></cpu> | dev=\"-1\"",
        "<cpu numaid='0'><pci busid='0000:01:00.0' class='0x03'><gpu sm='1e9'/></pci></cpu> | sm=\"1e9\"",
        "<cpu numaid='0'><pci busid='0000:01:00.0' class='0x03'><gpu gdr='7'/></pci></cpu> | gdr=\"7\"",
        "<cpu numaid='0'><nic><net/></nic></cpu> | <net> without dev",
        "<cpu numaid='0'><nic><net dev='0'/><net dev='0'/></nic></cpu> | no other <net> has",
        "<cpu numaid='0'><nic><net dev='0' speed='1e99'/></nic></cpu> | speed",
        "<cpu numaid='0'><nic><net dev='0' latency='NaN'/></nic></cpu> | latency",
        "<cpu numaid='0'><nic><net dev='0' latency='-1'/></nic></cpu> | latency",
        "<cpu numaid='0'><nic><net dev='0' guid='0x11112222333344445'/></nic></cpu> | guid",
        "<cpu numaid='0'><nic><net dev='0' maxconn='-1'/></nic></cpu> | maxconn"})
    void shouldRefuseWhatMakesNoSense(String content, String message) {
        assertContentRefused(ProxyResult.INVALID_ARGUMENT, message, content);
    }

    @ParameterizedTest
    @ValueSource(strings = {"target='0000:01:00.0' count='1'", "target='nowhere' count='1'", "count='1'",
        "target='0000:02:00.0' count='0'", "target='0000:02:00.0' count='99999'"})
    void shouldRefuseLinksThatMakeNoSense(String link) {
        assertContentRefused(ProxyResult.INVALID_ARGUMENT, "<nvlink>", "<cpu numaid='0'>"
                + "<pci busid='0000:01:00.0' class='0x03'><gpu dev='0'><nvlink " + link + "/></gpu></pci></cpu>");
    }

    @Test
    void shouldRefuseTwoGpusOfOneRank() {
        assertContentRefused(ProxyResult.INVALID_ARGUMENT, "rank=\"3\"", "<cpu numaid='0'>"
                + "<pci busid='0000:01:00.0' class='0x03'><gpu rank='3'/></pci>"
                + "<pci busid='0000:02:00.0' class='0x03'><gpu rank='3'/></pci></cpu>");
    }

    @Test
    void shouldRefuseMoreNodesThanNcclTakes() {
        String switches = IntStream.range(0, TopologyGraph.MAX_NODES + 1)
                .mapToObj(i -> String.format("<pci busid='0000:%02x:00.0'/>", i)).collect(Collectors.joining());
        assertContentRefused(ProxyResult.INVALID_ARGUMENT, "more than 64 nodes of type PCI",
                "<cpu numaid='0'>" + switches + "</cpu>");
    }

    @Test
    void shouldRefuseSeveralHosts() {
        assertContentRefused(ProxyResult.INVALID_USAGE, "of 2 hosts",
                "<cpu numaid='0' host_hash='0x1'/><cpu numaid='1' host_hash='0x2'/>");
    }

    /** Links to a GPU of another job lead nowhere, and one that goes one way only is no path. */
    @Test
    void shouldLeaveOutLinksThatLeadNowhere() {
        TopologyGraph graph = graph("<cpu numaid='0'>" + String.format(GPU, 1)
                + "<pci busid='0000:02:00.0' class='0x03'><gpu dev='2' sm='80'>"
                + "<nvlink target='0000:09:00.0' count='1'/><nvlink target='0000:01:00.0' count='1'/>"
                + "</gpu></pci></cpu>");
        TopologyNode one = graph.nodes(NodeType.GPU).getFirst();
        TopologyNode two = graph.nodes(NodeType.GPU).getLast();
        assertEquals(2, two.links().size());
        Paths paths = Paths.of(graph);
        assertEquals(PathType.PHB, paths.find(one, two).orElseThrow().type());
        assertEquals(PathType.PHB, paths.find(two, one).orElseThrow().type());
    }

    private static void assertContentRefused(ProxyResult result, String message, String content) {
        ProxyException e = assertThrows(ProxyException.class, () -> graph(content));
        assertEquals(result, e.result(), e::getMessage);
        assertTrue(e.getMessage().contains(message), e::getMessage);
    }

    static TopologyGraph graph(String content) {
        return TopologyGraph.of(SystemXml.parse("x", SystemXmlTest.system(1, content)));
    }
}
