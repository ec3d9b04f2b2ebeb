/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.fail;

import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.platform.Topology;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SystemDetectionTest {
    private static final NvidiaDriver NOT_ASKED = (gpus, patience) -> fail("there is no GPU of NVIDIA");
    private static final int ACCELERATOR = 0x030200;
    private static final int SWITCH = 0x068000;

    @TempDir
    private Path root;

    @Test
    void shouldDescribeGpusSwitchesAndNics() throws IOException {
        write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n");
        write("sys/devices/system/node/node0/cpumap", "ffff");
        write("sys/devices/system/node/node1/cpumap", "ffff0000");
        write("sys/module/amdgpu/version", "1");
        pci("pci0000:00/0000:00:01.0/0000:01:00.0", 0x060400, 0x1000, 0);
        pci("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", 0x120000, 0x1002, 0);
        pci("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0", 0x020700, 0x15b3, 0);
        pci("pci0000:80/0000:80:01.0/0000:83:00.0", 0x120000, 0x1002, 1);
        pci("pci0000:80/0000:80:02.0/0000:85:00.0", 0x030000, 0x1a03, 1);
        kfd(1, 3, 2);
        kfd(2, 0x83, 1);
        write("sys/class/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)");
        link("sys/class/infiniband/mlx5_0/device",
                "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0");
        String cpu = "  <cpu numaid=\"%s\" affinity=\"%s\" arch=\"" + arch()
                + "\" vendor=\"AuthenticAMD\" familyid=\"175\" modelid=\"17\">\n";
        String gpu = """
                <gpu dev="%d" gcn="gfx942" rank="%1$d" gdr="1">
                  <xgmi target="%s" count="1" tclass="0x120000"/>
                </gpu>
                """;
        String link = "link_speed=\"16.0 GT/s PCIe\" link_width=\"16\"";
        assertEquals("<system version=\"2\">\n" + String.format(cpu, 0, "ffff")
                + "    <pci busid=\"0000:01:00.0\" class=\"0x060400\" vendor=\"0x1000\" " + link + ">\n"
                + "      <pci busid=\"0000:03:00.0\" class=\"0x120000\" vendor=\"0x1002\" " + link + ">\n"
                + String.format(gpu, 0, "0000:83:00.0").indent(8) + "      </pci>\n"
                + "      <pci busid=\"0000:04:00.0\" class=\"0x020700\" vendor=\"0x15b3\" " + link + ">\n"
                + "        <nic>\n          <net name=\"mlx5_0\" dev=\"0\" speed=\"400000\" port=\"1\" guid=\"0x0\" "
                + "maxconn=\"65536\" gdr=\"1\"/>\n        </nic>\n      </pci>\n    </pci>\n  </cpu>\n"
                + String.format(cpu, 1, "ffff0000")
                + "    <pci busid=\"0000:83:00.0\" class=\"0x120000\" vendor=\"0x1002\" " + link + ">\n"
                + String.format(gpu, 1, "0000:03:00.0").indent(6) + "    </pci>\n  </cpu>\n</system>\n",
                of(Topology.of(root), NOT_ASKED).text());
    }

    @Test
    void shouldDescribeGpusOverNvSwitches() throws IOException {
        nvidia("0000:11:00.0", ACCELERATOR, 0);
        nvidia("0000:91:00.0", ACCELERATOR, 1);
        nvidia("0000:03:00.0", SWITCH, 0);
        write("sys/devices/system/node/node1/cpumap", "ff00");
        SystemXml xml = of(Topology.of(root), (gpus, patience) -> new NvidiaDriver.Answer(gpus.stream()
                .map(gpu -> new NvidiaGpu(gpu, 90, List.of(new NvLink("0000:03:00.0", 16, false),
                        new NvLink("fffffff:ffff:ff", 2, false)), 9, 44712)).toList(), List.of(), true));
        String text = xml.text();
        assertEquals(2, text.split("""
                <gpu dev="\\d" sm="90" rank="\\d" gdr="0">
                +<nvlink target="0000:03:00.0" count="16" tclass="0x068000"/>
                +<nvlink target="fffffff:ffff:ff" count="2" tclass="0x068000"/>
                +<c2c bw="44712" count="9"/>
                +</gpu>""".replace("+<", " +<"), -1).length - 1, text);
        assertEquals(PathType.NVL, path(xml, "0000:11:00.0", "0000:91:00.0").type());
        assertEquals(18 * 20.6, path(xml, "0000:11:00.0", "0000:91:00.0").bandwidth(), 0.01);
        assertEquals(xml, SystemXml.parse("again", text));
    }

    /** The third GPU, which the driver links to both, is not given to this machine. */
    @Test
    void shouldDescribeGpusThatAreLinkedWithEachOther() throws IOException {
        nvidia("0000:11:00.0", ACCELERATOR, 0);
        nvidia("0000:21:00.0", ACCELERATOR, 0);
        nvidia("0000:41:00.0", ACCELERATOR, 0);
        SystemXml xml = of(Topology.of(root), (gpus, patience) -> new NvidiaDriver.Answer(List.of(
                gpu("0000:11:00.0", new NvLink("0000:21:00.0", 4, true), new NvLink("0000:31:00.0", 4, true)),
                gpu("0000:21:00.0", new NvLink("0000:11:00.0", 4, true), new NvLink("0000:31:00.0", 4, true)),
                gpu("0000:41:00.0", new NvLink("0000:31:00.0", 4, true), new NvLink("fffffff:ffff:ff", 1, true))),
                List.of(), true));
        assertEquals(80, path(xml, "0000:11:00.0", "0000:21:00.0").bandwidth(), 0.01);
        assertEquals(PathType.PHB, path(xml, "0000:11:00.0", "0000:41:00.0").type(), "over no switch");
        assertEquals(5, xml.text().split("target=\"0000:.1:00.0\" count=\"4\" tclass=\"0x030200\"", -1).length - 1,
                xml.text());
    }

    @Test
    void shouldDescribeGpusOfWhichTheDriverTellsNothing() throws IOException {
        nvidia("0000:11:00.0", ACCELERATOR, 0);
        nvidia("0000:21:00.0", ACCELERATOR, 0);
        SystemXml xml = of(Topology.of(root), (gpus, patience) -> new NvidiaDriver.Answer(List.of(),
                List.of("there is none for " + gpus), true));
        assertEquals(List.of("there is none for [0000:11:00.0, 0000:21:00.0]"), xml.problems());
        assertEquals(PathType.PHB, path(xml, "0000:11:00.0", "0000:21:00.0").type());
        assertEquals(xml.problems(), xml.with(List.of()).xml().problems());
        assertFalse(xml.text().contains("sm="), xml.text());
    }

    private static SystemXml of(Topology host, NvidiaDriver driver) {
        return SystemDetection.of(host, driver, Duration.ofSeconds(30));
    }

    private static NvidiaGpu gpu(String address, NvLink... links) {
        return new NvidiaGpu(PciAddress.parse(address).orElseThrow(), 80, List.of(links), 0, 0);
    }

    private static TopologyPath path(SystemXml xml, String from, String to) {
        TopologyGraph graph = TopologyGraph.of(xml);
        return Paths.of(graph).find(node(graph, from), node(graph, to)).orElseThrow();
    }

    private static TopologyNode node(TopologyGraph graph, String gpu) {
        return graph.nodes(NodeType.GPU).stream().filter(node -> node.name().equals(gpu)).findFirst().orElseThrow();
    }

    private void nvidia(String address, int kind, int numaNode) throws IOException {
        write("sys/devices/system/node/node0/cpumap", "ff");
        pci("pci" + address.substring(0, 7) + "/" + address, kind, 0x10de, numaNode);
    }

    @Test
    void shouldDescribeAHostWithoutAnything() {
        SystemXml xml = of(Topology.of(root), NOT_ASKED);
        assertEquals("<system version=\"1\">\n  <cpu numaid=\"0\" affinity=\"\" arch=\"" + arch()
                + "\"/>\n</system>\n", xml.text());
        assertEquals(1, TopologyGraph.of(xml).nodes().size());
    }

    @Test
    void shouldDescribeThisHost() {
        SystemXml xml = of(Topology.ofHost(), NvidiaDriver.find());
        TopologyGraph graph = TopologyGraph.of(xml);
        assertFalse(graph.nodes(NodeType.CPU).isEmpty());
        assertEquals(xml, SystemXml.parse("again", xml.text()));
        JobTopology job = JobTopology.of(xml, Models.places(graph, 0));
        assertEquals(Models.places(graph, 0).size(), job.ring(0).size());
    }

    @Test
    void shouldReadAndWriteTheFilesOfTheOptions() {
        Path dump = root.resolve("dump.xml");
        Path file = root.resolve("file.xml");
        SystemXml xml = Models.own("ring-4");
        xml.write(file);
        ProxyConfig config = ProxyConfig.builder().environment(Map.of("NCCL_TOPO_FILE", file.toString(),
                "NCCL_TOPO_DUMP_FILE", dump.toString())).build();
        assertEquals(xml, SystemDetection.find(config));
        assertEquals(xml, SystemXml.read(dump));
    }

    private static String arch() {
        String arch = System.getProperty("os.arch");
        return arch.equals("amd64") ? "x86_64" : arch.equals("aarch64") ? "arm64" : arch;
    }

    private void kfd(int node, int bus, int other) throws IOException {
        String folder = "sys/class/kfd/kfd/topology/nodes/" + node;
        write(folder + "/gpu_id", Integer.toString(1000 + node));
        write(folder + "/properties", "vendor_id 4098\ndomain 0\nunique_id 7\ngfx_target_version 90402\nlocation_id "
                + (bus << 8));
        write(folder + "/io_links/0/properties", "type 11\nnode_to " + other + "\nweight 15");
    }

    private void pci(String path, int kind, int vendor, int numaNode) throws IOException {
        String folder = "sys/devices/" + path;
        write(folder + "/class", String.format("0x%06x", kind));
        write(folder + "/vendor", String.format("0x%04x", vendor));
        write(folder + "/numa_node", Integer.toString(numaNode));
        write(folder + "/max_link_speed", "16.0 GT/s PCIe");
        write(folder + "/max_link_width", "16");
        link("sys/bus/pci/devices/" + path.substring(path.lastIndexOf('/') + 1), folder);
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text + "\n");
    }

    private void link(String file, String target) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.createSymbolicLink(path, path.getParent().relativize(root.resolve(target)));
    }
}
