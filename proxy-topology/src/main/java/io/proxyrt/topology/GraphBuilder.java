/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.topology.xml.XmlElement;
import io.proxyrt.topology.xml.XmlValues;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Makes the graph of a document: nodes from the CPUs down, then what joins them across. */
final class GraphBuilder {
    private static final String NVSWITCH = "0x068000";
    private static final String CPU_BRIDGE = "0x068001";
    private static final Pattern SPEED = Pattern.compile("(\\d{1,3}(?:\\.\\d)?) GT/s.*");
    private static final Map<Double, Integer> PCI_SPEEDS = Map.of(2.5, 15, 5.0, 30, 8.0, 60, 16.0, 120, 32.0, 240,
            64.0, 480);
    private static final int USUAL_SPEED = 60;
    private static final int USUAL_LANES = 16;
    /** Speeds are in 100 Mb/s a lane. */
    private static final double SPEEDS_A_GIGABYTE = 80;
    /** What a rank on the host device gets of its memory: as a GPU on 16 lanes of generation 3. */
    private static final double HOST_BANDWIDTH = 12;
    private static final int MOST = 1 << 20;

    private final SystemXml xml;
    private final XmlValues values;
    private final List<RankPlace> places;
    private final List<TopologyNode> nodes = new ArrayList<>();
    private final Map<NodeType, Integer> counts = new HashMap<>();
    private final GraphLinks links = new GraphLinks();
    private final Map<PciAddress, TopologyNode> byAddress = new HashMap<>();
    private final Map<PciAddress, TopologyNode> nics = new HashMap<>();
    private final Set<Integer> ranks = new HashSet<>();
    private final Set<Integer> nets = new HashSet<>();
    private final Map<TopologyNode, XmlElement> gpus = new LinkedHashMap<>();
    private final Map<TopologyNode, TopologyNode> cpus = new HashMap<>();
    private final Map<PciAddress, Integer> placed = new LinkedHashMap<>();
    private final boolean isRanked;
    private int bareGpus;
    private TopologyNode nvSwitch;

    GraphBuilder(SystemXml xml, List<RankPlace> places) {
        this.xml = xml;
        this.values = xml.values();
        this.places = places;
        this.isRanked = places.isEmpty() && hasRank(xml.root());
        for (int rank = 0; rank < places.size(); rank++) {
            Optional<PciAddress> address = places.get(rank).address();
            int mine = rank;
            if (address.isPresent() && placed.putIfAbsent(address.get(), mine) != null) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "ranks " + placed.get(address.get()) + " and "
                        + mine + " of a host both use the GPU at " + address.get() + "; each needs its own");
            }
        }
    }

    private static boolean hasRank(XmlElement element) {
        return element.name().equals("gpu") ? element.attributes().containsKey("rank")
                : element.children().stream().anyMatch(GraphBuilder::hasRank);
    }

    TopologyGraph build() {
        checkOneHost();
        xml.root().children("cpu").forEach(this::addCpu);
        gpus.forEach(this::joinGpu);
        addHostRanks();
        joinCpus();
        for (Map.Entry<PciAddress, Integer> entry : placed.entrySet()) {
            if (!ranks.contains(entry.getValue())) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, xml + " has no GPU at " + entry.getKey()
                        + ", which rank " + entry.getValue() + " of the host uses");
            }
        }
        return new TopologyGraph(xml.dialect(), nodes, links.attach());
    }

    private void checkOneHost() {
        long hosts = xml.root().children("cpu").stream().map(cpu -> values.id(cpu, "host_hash", 0)).distinct().count();
        if (hosts > 1) {
            throw new ProxyException(ProxyResult.INVALID_USAGE,
                    xml + " is of " + hosts + " hosts, by their host_hash; give each host's own");
        }
    }

    private TopologyNode node(NodeType type, String name, NodeDetail detail) {
        if (counts.merge(type, 1, Integer::sum) > TopologyGraph.MAX_NODES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    xml + " has more than " + TopologyGraph.MAX_NODES + " nodes of type " + type);
        }
        TopologyNode node = new TopologyNode(type, nodes.size(), name, detail);
        nodes.add(node);
        return node;
    }

    private void addCpu(XmlElement element) {
        int numaNode = values.needed(element, "numaid", -1, MOST);
        // A host without NUMA says -1.
        NodeDetail.Cpu detail = new NodeDetail.Cpu(Math.max(0, numaNode),
                element.attributes().getOrDefault("arch", ""), element.attributes().getOrDefault("vendor", ""),
                values.number(element, "familyid", 0, 0, MOST), values.number(element, "modelid", 0, 0, MOST));
        if (nodes.stream().anyMatch(node -> node.type() == NodeType.CPU
                && node.cpu().numaNode() == detail.numaNode())) {
            throw values.wrong(element, "numaid", "a number that no other <cpu> has");
        }
        TopologyNode cpu = node(NodeType.CPU, Integer.toString(detail.numaNode()), detail);
        for (XmlElement child : element.children()) {
            if (child.name().equals("pci")) {
                addPci(child, cpu, cpu);
            } else if (!child.children("net").isEmpty()) {
                TopologyNode nic = node(NodeType.NIC, "virtual", NodeDetail.NONE);
                links.addBoth(cpu, nic, TopologyLink.Type.PCI, TopologyGraph.LOCAL_BANDWIDTH);
                addNets(child, nic, Optional.empty());
            }
        }
    }

    private void addPci(XmlElement element, TopologyNode parent, TopologyNode cpu) {
        PciAddress address = address(element, "busid");
        Optional<TopologyNode> node = switch (type(element)) {
            case GPU -> addGpu(element, address, cpu);
            case NIC -> addNic(element, address);
            case PCI -> Optional.of(node(NodeType.PCI, address.toString(), NodeDetail.NONE));
            default -> Optional.empty();
        };
        if (node.isEmpty()) {
            return;
        }
        if (byAddress.putIfAbsent(address, node.get()) != null) {
            throw values.wrong(element, "busid", "an address that no other <pci> has");
        }
        links.addBoth(node.get(), parent, TopologyLink.Type.PCI, pciBandwidth(element));
        if (node.get().type() == NodeType.PCI) {
            element.children("pci").forEach(child -> addPci(child, node.get(), cpu));
        }
    }

    private static NodeType type(XmlElement element) {
        String kind = element.attributes().getOrDefault("class", "");
        return kind.equals(NVSWITCH) ? NodeType.NVS : kind.startsWith("0x03") || kind.startsWith("0x12") ? NodeType.GPU
                : kind.startsWith("0x02") ? NodeType.NIC : NodeType.PCI;
    }

    private double pciBandwidth(XmlElement element) {
        int lanes = values.number(element, "link_width", 0, 0, 1024);
        Matcher speed = SPEED.matcher(element.attributes().getOrDefault("link_speed", ""));
        int perLane = speed.matches() ? PCI_SPEEDS.getOrDefault(Double.parseDouble(speed.group(1)), USUAL_SPEED)
                : USUAL_SPEED;
        return (lanes == 0 ? USUAL_LANES : lanes) * perLane / SPEEDS_A_GIGABYTE;
    }

    private Optional<TopologyNode> addGpu(XmlElement pci, PciAddress address, TopologyNode cpu) {
        Optional<XmlElement> known = pci.child("gpu");
        if (known.isEmpty() && !pci.children().isEmpty()) {
            return Optional.empty();
        }
        XmlElement gpu = known.orElseGet(() -> XmlElement.of("gpu").build());
        int dev = values.number(gpu, "dev", bareGpus++, 0, MOST);
        int rank = !places.isEmpty() ? placed.getOrDefault(address, -1)
                : isRanked ? values.number(gpu, "rank", -1, -1, MOST) : counts.getOrDefault(NodeType.GPU, 0);
        if (rank < 0) {
            return Optional.empty();
        }
        if (!ranks.add(rank)) {
            throw values.wrong(gpu, "rank", "a number that no other <gpu> has");
        }
        boolean isNccl = xml.dialect() == SystemXml.Dialect.NCCL;
        int sm = values.number(gpu, "sm", 0, 0, MOST);
        TopologyNode node = node(NodeType.GPU, address.toString(), new NodeDetail.Gpu(rank, dev, isNccl ? sm : 0,
                gpu.attributes().getOrDefault("gcn", ""), values.number(gpu, "gdr", 0, 0, 1) == 1,
                Optional.of(address)));
        gpus.put(node, gpu);
        cpus.put(node, cpu);
        return Optional.of(node);
    }

    private Optional<TopologyNode> addNic(XmlElement pci, PciAddress address) {
        Optional<XmlElement> element = pci.child("nic");
        if (element.isEmpty()) {
            return Optional.empty();
        }
        TopologyNode known = nics.get(address.whole());
        TopologyNode nic = known != null ? known : node(NodeType.NIC, address.toString(), NodeDetail.NONE);
        addNets(element.get(), nic, Optional.of(address));
        // The functions of an adapter are in one slot, whose bandwidth they share.
        return nics.putIfAbsent(address.whole(), nic) == null ? Optional.of(nic) : Optional.empty();
    }

    private void addNets(XmlElement element, TopologyNode nic, Optional<PciAddress> address) {
        for (XmlElement net : element.children("net")) {
            int dev = values.needed(net, "dev", 0, MOST);
            if (!nets.add(dev)) {
                throw values.wrong(net, "dev", "a number that no other <net> has");
            }
            int speedMbps = values.number(net, "speed", 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
            double bandwidth = (speedMbps <= 0 ? 10000 : speedMbps) / 8000.0;
            TopologyNode node = node(NodeType.NET, net.attributes().getOrDefault("name", "net" + dev),
                    new NodeDetail.Net(dev, net.attributes().getOrDefault("name", ""), values.id(net, "guid", dev),
                            values.number(net, "port", 0, 0, MOST), bandwidth,
                            values.fraction(net, "latency", 0, 1e9), values.number(net, "gdr", 0, 0, 1) == 1,
                            values.number(net, "maxconn", 65536, 0, Integer.MAX_VALUE), address));
            links.addBoth(nic, node, TopologyLink.Type.NET, bandwidth);
        }
    }

    /** Links to what is not in the graph are left out: it may be another job's. */
    private void joinGpu(TopologyNode gpu, XmlElement element) {
        for (XmlElement link : element.children()) {
            int count = values.number(link, "count", 1, 1, 1024);
            if (link.name().equals("c2c")) {
                double megabytes = values.fraction(link, "bw", 0, 1e9);
                if (megabytes > 0) {
                    links.addBoth(gpu, cpus.get(gpu), TopologyLink.Type.C2C, count * megabytes / 1000);
                }
                continue;
            }
            double bandwidth = count * (link.name().equals("xgmi") ? gpu.gpu().xgmiBandwidth()
                    : gpu.gpu().nvlinkBandwidth());
            switch (link.attributes().getOrDefault("tclass", "")) {
                case NVSWITCH -> links.addBoth(gpu, nvSwitch(), TopologyLink.Type.NVL, bandwidth);
                case CPU_BRIDGE -> links.addBoth(gpu, cpus.get(gpu), TopologyLink.Type.NVL, bandwidth);
                default -> joinGpus(gpu, link, bandwidth);
            }
        }
    }

    private PciAddress address(XmlElement element, String key) {
        return PciAddress.parse(values.text(element, key))
                .orElseThrow(() -> values.wrong(element, key, "an address such as 0000:c1:00.0"));
    }

    private void joinGpus(TopologyNode gpu, XmlElement link, double bandwidth) {
        TopologyNode target = byAddress.get(address(link, "target"));
        if (target == gpu) {
            throw values.wrong(link, "target", "the address of another GPU");
        }
        if (target != null && target.type() == NodeType.GPU) {
            links.add(gpu, target, TopologyLink.Type.NVL, bandwidth);
        }
    }

    private TopologyNode nvSwitch() {
        if (nvSwitch == null) {
            nvSwitch = node(NodeType.NVS, "0", NodeDetail.NONE);
        }
        return nvSwitch;
    }

    private void addHostRanks() {
        for (int rank = 0; rank < places.size(); rank++) {
            RankPlace place = places.get(rank);
            if (place.gpu().isEmpty()) {
                TopologyNode cpu = nodes.stream().filter(node -> node.type() == NodeType.CPU
                                && node.cpu().numaNode() == Math.max(0, place.numaNode())).findFirst()
                        .orElseThrow(() -> new ProxyException(ProxyResult.INVALID_ARGUMENT,
                                xml + " has no NUMA node " + place.numaNode() + ", where a rank's memory is"));
                TopologyNode host = node(NodeType.GPU, "host device", new NodeDetail.Gpu(rank, rank, 0, "", false,
                        Optional.empty()));
                links.addBoth(host, cpu, TopologyLink.Type.PCI, HOST_BANDWIDTH);
            }
        }
    }

    private void joinCpus() {
        List<TopologyNode> all = nodes.stream().filter(node -> node.type() == NodeType.CPU).toList();
        for (TopologyNode one : all) {
            for (TopologyNode other : all) {
                if (one != other) {
                    links.add(one, other, TopologyLink.Type.SYS, one.cpu().bandwidth(xml.dialect()));
                }
            }
        }
    }
}
