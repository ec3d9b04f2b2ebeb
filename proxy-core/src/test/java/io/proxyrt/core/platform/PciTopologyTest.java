/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.LinkType;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PciTopologyTest {
    /** A switch: a port upstream, and one downstream for each device. */
    private static final String SWITCH = "pci0000:00/0000:00:01.0/0000:01:00.0";
    @TempDir
    private Path folder;
    private HostFiles files;

    @BeforeEach
    void makeHost() {
        files = new HostFiles(folder)
                .pci(SWITCH + "/0000:02:00.0/0000:03:00.0", 0)
                .pci(SWITCH + "/0000:02:01.0/0000:04:00.0", 0)
                .pci(SWITCH + "/0000:02:01.0/0000:04:00.1", 0)
                .pci(SWITCH + "/0000:02:02.0/0000:05:00.0/0000:06:00.0/0000:07:00.0", 0)
                .pci("pci0000:00/0000:00:02.0/0000:08:00.0", 0)
                .pci("pci0000:40/0000:40:01.0/0000:41:00.0", 0)
                .pci("pci0000:80/0000:80:01.0/0000:81:00.0", 1)
                .pci("pci10000:e0/10000:e0:01.0/10000:e1:00.0", -1);
    }

    @ParameterizedTest
    @CsvSource({"04:00.0, 04:00.0, SELF", "04:00.0, 04:00.1, PIX", "03:00.0, 04:00.0, PIX", "03:00.0, 07:00.0, PXB",
        "03:00.0, 08:00.0, PHB", "08:00.0, 41:00.0, NODE", "41:00.0, 81:00.0, SYS", "03:00.0, 09:00.0, UNKNOWN",
        "03:00.0, '', UNKNOWN", "03:00.0, nonsense, UNKNOWN"})
    void shouldTellWhatJoinsTwoDevices(String one, String other, LinkType expected) {
        Topology topology = files.topology();
        assertEquals(expected, topology.link(one, other));
        assertEquals(expected, topology.link(other, one));
        assertEquals(expected, topology.link("0000:" + one, other));
    }

    @Test
    void shouldTakeAHostWithoutNumaNodesForNodeZero() {
        assertEquals(LinkType.NODE, files.topology().link("0000:03:00.0", "10000:e1:00.0"));
        assertEquals(LinkType.SYS, files.topology().link("0000:81:00.0", "10000:e1:00.0"));
    }

    @Test
    void shouldFindTheDeviceThatAVirtualOneSitsOn() {
        String path = "/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0";
        for (String below : new String[] {"", "/virtio0", "/net/eth0"}) {
            assertEquals(1, files.topology().pciDeviceAt(path + below).orElseThrow().numaNode(), below);
        }
        assertEquals(Optional.empty(), files.topology().pciDeviceAt("/sys/devices/virtual/net/lo"));
        assertEquals(Optional.empty(), files.topology().pciDeviceAt(""));
    }

    @Test
    void shouldTellTheCpusOfANode() {
        files.write("sys/devices/system/node/node1/cpulist", "8-15,24");
        assertEquals("8-15,24", files.topology().nodeCpus(1));
        assertEquals("", files.topology().nodeCpus(2));
    }

    @Test
    void shouldReadADevice() {
        PciDevice gpu = files.topology().pciDevice("0000:03:00.0").orElseThrow();
        assertEquals(new PciAddress(0, 3, 0, 0), gpu.address());
        assertEquals(0x030200, gpu.kind());
        assertEquals(0x10de, gpu.vendor());
        assertEquals(List.of("pci0000:00", "0000:00:01.0", "0000:01:00.0", "0000:02:00.0", "0000:03:00.0"),
                gpu.path());
        assertEquals(1, files.topology().pciDevice("0000:81:00.0").orElseThrow().numaNode());
        assertEquals(-1, files.topology().pciDevice("10000:E1:00.0").orElseThrow().numaNode());
        assertEquals(Optional.empty(), files.topology().pciDevice("0000:ff:00.0"));
    }

    @Test
    void shouldFindThePartitionsOfAGpuAtTheGpu() {
        assertEquals("0000:03:00.0", files.topology().pciDevice("0000:03:00.5").orElseThrow().address().toString());
        assertEquals(LinkType.SELF, files.topology().link("0000:03:00.5", "0000:03:00.0"));
    }

    @Test
    void shouldTakeTheSlowerOfDeviceAndPort() {
        files.write("sys/devices/" + SWITCH + "/0000:02:00.0/max_link_speed", "16.0 GT/s PCIe")
                .write("sys/devices/" + SWITCH + "/0000:02:00.0/max_link_width", "8");
        PciLink link = files.topology().pciDevice("0000:03:00.0").orElseThrow().link();
        assertEquals(new PciLink(16, 8), link);
        assertEquals("16 GT/s x8", link.toString());
        assertEquals(12, link.gigabytesPerSecond());
        assertEquals(48, files.topology().pciDevice("0000:04:00.0").orElseThrow().link().gigabytesPerSecond());
    }

    @ParameterizedTest
    @CsvSource({"2.5 GT/s PCIe, 16, 3.75", "5 GT/s, 16, 7.5", "8.0 GT/s PCIe, 16, 12", "64.0 GT/s PCIe, 16, 96",
        "Unknown speed, 16, 12", "8.0 GT/s PCIe, 0, 12", "Unknown, 255, 191.25", "'', -1, 12"})
    void shouldReckonABandwidthAsRcclDoes(String speed, int lanes, double expected) {
        files.pci("pci0000:c0/0000:c0:01.0/0000:c1:00.0", 1, speed, lanes);
        assertEquals(expected,
                files.topology().pciDevice("0000:c1:00.0").orElseThrow().link().gigabytesPerSecond(), 1e-9);
    }

    @Test
    void shouldFindNetworkPortsAndWhereTheyAre() {
        String adapter = "sys/devices/" + SWITCH + "/0000:02:01.0/0000:04:00.0";
        files.write("sys/devices/virtual/net/lo/speed", "").link("sys/class/net/lo", "sys/devices/virtual/net/lo")
                .write(adapter + "/net/eth0/speed", "100000").link("sys/class/net/eth0", adapter + "/net/eth0")
                .link(adapter + "/net/eth0/device", adapter)
                .write(adapter + "/virtio3/net/eth1/speed", "-1")
                .link("sys/class/net/eth1", adapter + "/virtio3/net/eth1")
                .link(adapter + "/virtio3/net/eth1/device", adapter + "/virtio3")
                .write("sys/class/net/bonding_masters", "bond0")
                .write(adapter + "/infiniband/mlx5_0/ports/1/rate", "400 Gb/sec (4X NDR)")
                .write(adapter + "/infiniband/mlx5_0/ports/2/rate", "2.5 Gb/sec (1X SDR)")
                .link("sys/class/infiniband/mlx5_0", adapter + "/infiniband/mlx5_0")
                .link(adapter + "/infiniband/mlx5_0/device", adapter);
        Optional<PciAddress> address = PciAddress.parse("0000:04:00.0");
        assertEquals(List.of(new NetworkPort("eth0", false, address, 0, 100_000),
                new NetworkPort("eth1", false, address, -1, 0),
                new NetworkPort("lo", false, Optional.empty(), -1, 0),
                new NetworkPort("mlx5_0", true, address, 0, 400_000)), files.topology().networkPorts());
    }

    @Test
    void shouldKnowNothingOfAHostWithoutFiles(@TempDir Path empty) {
        Topology topology = Topology.of(empty);
        assertTrue(topology.networkPorts().isEmpty());
        assertTrue(topology.amdGpus().isEmpty());
        assertTrue(topology.xgmiLinks().isEmpty());
        assertEquals(LinkType.UNKNOWN, topology.link("0000:03:00.0", "0000:04:00.0"));
    }

    @Test
    void shouldReadTheFilesOfThisHost() {
        Topology topology = Topology.ofHost();
        for (NetworkPort port : topology.networkPorts()) {
            assertTrue(port.address().isEmpty() || topology.pciDevice(port.address().get().toString()).isPresent(),
                    port.toString());
        }
    }

    @Test
    void shouldListAllDevicesByAddress() {
        assertEquals(List.of("0000:03:00.0", "0000:04:00.0", "0000:04:00.1", "0000:07:00.0", "0000:08:00.0",
                "0000:41:00.0", "0000:81:00.0", "10000:e1:00.0"), files.topology().pciDevices().stream()
                .map(device -> device.address().toString()).toList());
    }

    @Test
    void shouldTellOfCpusAndModules() {
        files.write("sys/devices/system/node/node10/cpumap", "ff").write("sys/devices/system/node/node2/cpumap", "1")
                .write("sys/devices/system/node/nodes", "x").write("sys/module/amdgpu/version", "6")
                .write("proc/cpuinfo", "processor\t: 0\nmodel\t\t: 17\nmodel name\t: A: B\n\nprocessor\t: 1\nflags: x");
        Topology topology = files.topology();
        assertEquals(List.of(2, 10), topology.numaNodes());
        assertEquals("ff", topology.nodeCpuMask(10));
        assertEquals(Map.of("processor", "0", "model", "17", "model name", "A: B"), topology.cpuInfo());
        assertEquals(List.of(true, false), List.of(topology.hasModule("amdgpu"), topology.hasModule("nvidia")));
    }

    @Test
    void shouldTakeAHostThatDoesNotTellForOneNumaNode() {
        assertEquals(List.of(0), files.topology().numaNodes());
    }
}
