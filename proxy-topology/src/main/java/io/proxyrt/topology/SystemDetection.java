/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.platform.NetworkPort;
import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.platform.PciDevice;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.core.platform.XgmiLink;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.xml.XmlElement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Says what this host is made of, from what the kernel tells in files. GPUs are AMD's, with their xGMI links, and
 * NVIDIA's, whose NVLinks and compute capabilities their driver tells. On a host without a GPU it finds the NUMA nodes
 * and the networks.
 */
public final class SystemDetection {
    private static final int NVIDIA = 0x10de;
    private static final int DISPLAY = 0x03;
    private static final int ACCELERATOR = 0x12;
    /** How the system calls what a GPU's memory is opened to NICs by. */
    private static final List<String> PEER_MEMORY = List.of("nvidia_peermem", "nv_peer_mem", "amdgpu");
    private static final int LAST_BASIC_FAMILY = 15;
    /** As NCCL has it for the other end of an NVLink that a virtual machine does not see. */
    private static final String NVSWITCH = "0x068000";
    private static final String GPU_ELSEWHERE = "0x030200";

    private final Topology host;
    private final List<PciAddress> amdGpus;
    private final boolean isGdr;
    private final Map<String, String> cpuInfo;
    private final List<PciDevice> gpus;
    private final Map<PciAddress, NvidiaGpu> nvidiaGpus = new HashMap<>();
    private final NvidiaDriver.Answer answer;
    private final Map<Integer, Branch> cpus = new LinkedHashMap<>();

    /** An element that is being made, whose children are by address. */
    private record Branch(XmlElement.Builder element, Map<String, Branch> below) {
        Branch(XmlElement.Builder element) {
            this(element, new LinkedHashMap<>());
        }

        XmlElement build() {
            below.values().forEach(branch -> element.add(branch.build()));
            return element.build();
        }
    }

    /** Asks the driver of NVIDIA's GPUs, if there are any. */
    SystemDetection(Topology host, NvidiaDriver driver, Duration patience) {
        this.host = host;
        this.amdGpus = host.amdGpus();
        this.cpuInfo = host.cpuInfo();
        this.isGdr = PEER_MEMORY.stream().anyMatch(host::hasModule);
        this.gpus = host.pciDevices().stream().filter(this::isGpu).toList();
        List<PciAddress> asked = gpus.stream().filter(gpu -> gpu.vendor() == NVIDIA).map(PciDevice::address).toList();
        this.answer = asked.isEmpty() ? new NvidiaDriver.Answer(List.of(), List.of(), true)
                : driver.ask(asked, patience);
        answer.gpus().forEach(gpu -> nvidiaGpus.put(gpu.address(), gpu));
    }

    /**
     * What the host is made of, as the options say: from {@link TopologyOptions#TOPO_FILE}, or else from the system. It
     * is written to {@link TopologyOptions#TOPO_DUMP_FILE}, if that is set.
     *
     * @param config effective settings
     * @return the document
     * @throws io.proxyrt.core.ProxyException if a file cannot be read or written, or says nothing that makes sense
     */
    public static SystemXml find(ProxyConfig config) {
        String file = config.get(TopologyOptions.TOPO_FILE);
        SystemXml xml = file.isEmpty() ? of(Topology.ofHost(), NvidiaDriver.find(),
                config.get(CoreOptions.CONNECT_TIMEOUT)) : SystemXml.read(Path.of(file));
        String dump = config.get(TopologyOptions.TOPO_DUMP_FILE);
        if (!dump.isEmpty()) {
            xml.write(Path.of(dump));
        }
        return xml;
    }

    static SystemXml of(Topology host, NvidiaDriver driver, Duration patience) {
        SystemDetection detection = new SystemDetection(host, driver, patience);
        return detection.describe(detection.ports());
    }

    /** Whether the driver will not tell more another time. */
    boolean isFinal() {
        return answer.isFinal();
    }

    /** With the adapters of a network, by their numbers, in place of what the system has. Once. */
    SystemXml with(List<TransportAdapter> adapters) {
        return describe(adapters.stream().map(adapter -> new NetworkPort(adapter.name(), adapter.isGdr(),
                AdapterPlaces.address(adapter), -1, adapter.speedMbps())).toList());
    }

    private SystemXml describe(List<NetworkPort> ports) {
        host.numaNodes().forEach(node -> cpus.put(node, new Branch(cpu(node))));
        for (int dev = 0; dev < gpus.size(); dev++) {
            addGpu(gpus.get(dev), dev);
        }
        for (int dev = 0; dev < ports.size(); dev++) {
            addPort(ports.get(dev), dev);
        }
        SystemXml.Dialect dialect = amdGpus.isEmpty() ? SystemXml.Dialect.NCCL : SystemXml.Dialect.RCCL;
        XmlElement.Builder system = XmlElement.of("system").set("version", dialect.version());
        cpus.values().forEach(cpu -> system.add(cpu.build()));
        return new SystemXml("this host", system.build(), answer.problems());
    }

    private XmlElement.Builder cpu(int node) {
        String arch = System.getProperty("os.arch");
        XmlElement.Builder cpu = XmlElement.of("cpu").set("numaid", node).set("affinity", host.nodeCpuMask(node))
                .set("arch", switch (arch) {
                    case "amd64" -> "x86_64";
                    case "aarch64" -> "arm64";
                    case "ppc64le" -> "ppc64";
                    default -> arch;
                });
        String vendor = cpuInfo.getOrDefault("vendor_id", "");
        if (!vendor.isEmpty()) {
            cpu.set("vendor", vendor).set("familyid", packed(number(cpuInfo.getOrDefault("cpu family", ""))))
                    .set("modelid", number(cpuInfo.getOrDefault("model", "")));
        }
        return cpu;
    }

    /** NCCL has the extended part of a CPU's family above the basic one, and people their sum. */
    private static int packed(int family) {
        return family <= LAST_BASIC_FAMILY ? family : family - LAST_BASIC_FAMILY << 4 | LAST_BASIC_FAMILY;
    }

    private static int number(String text) {
        return text.matches("\\d{1,6}") ? Integer.parseInt(text) : 0;
    }

    private boolean isGpu(PciDevice device) {
        int kind = device.kind() >> 16;
        return amdGpus.contains(device.address())
                || device.vendor() == NVIDIA && (kind == DISPLAY || kind == ACCELERATOR);
    }

    private void addGpu(PciDevice device, int dev) {
        PciAddress address = device.address();
        NvidiaGpu nvidia = nvidiaGpus.get(address);
        XmlElement.Builder gpu = XmlElement.of("gpu").set("dev", dev);
        if (amdGpus.contains(address)) {
            gpu.set("gcn", host.amdGpuArch(address));
        }
        if (nvidia != null) {
            gpu.set("sm", nvidia.computeCapability());
        }
        gpu.set("rank", dev).set("gdr", isGdr ? 1 : 0);
        if (nvidia != null) {
            addLinks(gpu, nvidia);
        }
        for (XgmiLink link : host.xgmiLinks()) {
            if (link.from().equals(address)) {
                gpu.add(XmlElement.of("xgmi").set("target", link.to()).set("count", Math.min(1024, link.count()))
                        .set("tclass", "0x120000").build());
            }
        }
        branch(device).element().add(gpu.build());
    }

    private void addLinks(XmlElement.Builder gpu, NvidiaGpu nvidia) {
        for (NvLink link : nvidia.links()) {
            gpu.add(XmlElement.of("nvlink").set("target", link.target()).set("count", link.count())
                    .set("tclass", targetClass(link)).build());
        }
        if (nvidia.c2cLinks() > 0) {
            gpu.add(XmlElement.of("c2c").set("bw", nvidia.c2cMbps()).set("count", nvidia.c2cLinks()).build());
        }
    }

    /** NCCL takes all that the system does not see for a switch; a GPU that is not given to this machine is none. */
    private String targetClass(NvLink link) {
        boolean isElsewhere = link.isGpu() && PciAddress.parse(link.target()).isPresent();
        return host.pciDevice(link.target()).map(SystemDetection::kind)
                .orElse(isElsewhere ? GPU_ELSEWHERE : NVSWITCH);
    }

    private static String kind(PciDevice device) {
        return String.format(Locale.ROOT, "0x%06x", device.kind());
    }

    private List<NetworkPort> ports() {
        List<NetworkPort> all = host.networkPorts();
        boolean hasRdma = all.stream().anyMatch(NetworkPort::isRdma);
        return all.stream().filter(port -> port.isRdma() == hasRdma && !port.name().startsWith("lo")
                && !port.name().startsWith("docker")).limit(TopologyGraph.MAX_NODES).toList();
    }

    private void addPort(NetworkPort port, int dev) {
        XmlElement net = XmlElement.of("net").set("name", port.name()).set("dev", dev)
                .set("speed", port.speedMbps() > 0 ? port.speedMbps() : 10000).set("port", 1)
                .set("guid", "0x" + Integer.toHexString(dev)).set("maxconn", 65536)
                .set("gdr", isGdr && port.isRdma() ? 1 : 0).build();
        Optional<PciDevice> device = port.address().flatMap(address -> host.pciDevice(address.toString()));
        Branch branch = device.map(this::branch).orElseGet(() -> cpuOf(port.numaNode()));
        String key = device.isPresent() ? "nic" : "nic " + dev;
        branch.below().computeIfAbsent(key, any -> new Branch(XmlElement.of("nic"))).element().add(net);
    }

    /** The element of a device, below those of the switches on the way: a bridge upstream stands for a switch. */
    private Branch branch(PciDevice device) {
        List<String> path = device.path();
        List<PciDevice> way = new ArrayList<>(List.of(device));
        for (int above = path.size() - 3; above >= 1; above -= 2) {
            host.pciDevice(path.get(above)).ifPresent(way::addFirst);
        }
        Branch branch = cpuOf(way.getFirst().numaNode());
        for (PciDevice next : way) {
            branch = branch.below().computeIfAbsent(next.address().toString(), any -> new Branch(pci(next)));
        }
        return branch;
    }

    private Branch cpuOf(int numaNode) {
        return cpus.getOrDefault(Math.max(0, numaNode), cpus.values().iterator().next());
    }

    private static XmlElement.Builder pci(PciDevice device) {
        double speed = device.link().gigatransfers();
        XmlElement.Builder pci = XmlElement.of("pci").set("busid", device.address())
                .set("class", kind(device))
                .set("vendor", String.format(Locale.ROOT, "0x%04x", device.vendor()));
        return speed == 0 ? pci : pci.set("link_speed", String.format(Locale.ROOT, "%.1f GT/s PCIe", speed))
                .set("link_width", device.link().lanes());
    }
}
