/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.LinkType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * How the devices of a host are joined. Read when it is made, and each device when it is asked for; does not change.
 * Any thread; blocks for as long as the kernel's files take.
 */
public final class Topology {
    private final Path root;
    private final PciDevices pci;
    private final List<NetworkPort> ports;
    private final List<PciAddress> amdGpus;
    private final Map<PciAddress, String> amdArchs;
    private final List<XgmiLink> xgmi;

    private Topology(Path root) {
        this.root = root;
        this.pci = new PciDevices(root);
        this.ports = NetworkPorts.of(root);
        KfdGpus kfd = new KfdGpus(root);
        this.amdGpus = kfd.addresses();
        this.amdArchs = kfd.archs();
        this.xgmi = kfd.links();
    }

    /**
     * Of this host.
     *
     * @return what its files tell now
     */
    public static Topology ofHost() {
        return new Topology(Path.of("/"));
    }

    /**
     * Of files elsewhere.
     *
     * @param root folder in which {@code sys} is looked for
     * @return what they tell
     */
    public static Topology of(Path root) {
        return new Topology(root);
    }

    /**
     * Finds a device of PCI.
     *
     * @param pciId such as {@code 0000:c1:00.0}; of a partition of a GPU, the GPU is found
     * @return empty if that is no address, or nothing is there
     */
    public Optional<PciDevice> pciDevice(String pciId) {
        return PciAddress.parse(pciId).flatMap(pci::find);
    }

    /**
     * Finds the device of PCI that something in the system's tree of devices is, or sits on.
     *
     * @param path in sysfs, such as {@code /sys/devices/pci0000:00/0000:00:03.0/virtio0}
     * @return the nearest one; empty if there is none on the way
     */
    public Optional<PciDevice> pciDeviceAt(String path) {
        return PciAddress.of(Path.of(path)).flatMap(pci::find);
    }

    /**
     * The CPUs of a NUMA node.
     *
     * @param node its number
     * @return as the system writes lists, such as {@code 0-3,8}; empty if there is no such node, or it has no CPU
     */
    public String nodeCpus(int node) {
        return Sysfs.text(root.resolve("sys/devices/system/node/node" + node + "/cpulist"));
    }

    /**
     * The same as a mask.
     *
     * @param node its number
     * @return as the system writes masks, such as {@code ff,ffffffff}; empty if there is no such node
     */
    public String nodeCpuMask(int node) {
        return Sysfs.text(root.resolve("sys/devices/system/node/node" + node + "/cpumap"));
    }

    /**
     * The NUMA nodes.
     *
     * @return their numbers in order; 0 alone if the system does not tell
     */
    public List<Integer> numaNodes() {
        List<Integer> nodes = Sysfs.list(root.resolve("sys/devices/system/node")).stream()
                .map(folder -> folder.getFileName().toString()).filter(name -> name.matches("node\\d{1,4}"))
                .map(name -> Integer.parseInt(name.substring("node".length()))).sorted().toList();
        return nodes.isEmpty() ? List.of(0) : nodes;
    }

    /**
     * What the system tells of its first CPU.
     *
     * @return values by name, such as {@code vendor_id}; empty if it tells nothing
     */
    public Map<String, String> cpuInfo() {
        return Sysfs.text(root.resolve("proc/cpuinfo")).lines().takeWhile(line -> !line.isBlank())
                .map(line -> line.split(":", 2)).filter(words -> words.length == 2)
                .collect(Collectors.toUnmodifiableMap(words -> words[0].strip(), words -> words[1].strip(),
                        (first, second) -> first));
    }

    /**
     * Whether a module of the kernel is loaded, or part of it.
     *
     * @param name such as {@code nvidia_peermem}
     * @return true if so
     */
    public boolean hasModule(String name) {
        return Files.isDirectory(root.resolve("sys/module").resolve(name));
    }

    /**
     * All devices of PCI.
     *
     * @return by address
     */
    public List<PciDevice> pciDevices() {
        return pci.all();
    }

    /**
     * Interfaces of networks, and devices of RDMA.
     *
     * @return interfaces first, each by name
     */
    public List<NetworkPort> networkPorts() {
        return ports;
    }

    /**
     * GPUs that AMD's driver serves.
     *
     * @return by address
     */
    public List<PciAddress> amdGpus() {
        return amdGpus;
    }

    /**
     * What an AMD GPU's instructions are called.
     *
     * @param gpu one of {@link #amdGpus()}
     * @return such as {@code gfx942}; empty if the driver does not tell
     */
    public String amdGpuArch(PciAddress gpu) {
        return amdArchs.getOrDefault(gpu, "");
    }

    /**
     * Direct links between AMD's GPUs.
     *
     * @return one for each direction, by where they begin
     */
    public List<XgmiLink> xgmiLinks() {
        return xgmi;
    }

    /**
     * What joins two devices.
     *
     * @param one   a device's {@linkplain io.proxyrt.core.device.DeviceAttributes#pciId() id}
     * @param other another one's
     * @return the shortest way; {@link LinkType#UNKNOWN} if one of them is not there
     */
    public LinkType link(String one, String other) {
        Optional<PciAddress> from = PciAddress.parse(one);
        Optional<PciAddress> to = PciAddress.parse(other);
        if (from.isEmpty() || to.isEmpty()) {
            return LinkType.UNKNOWN;
        }
        if (from.equals(to)) {
            return LinkType.SELF;
        }
        Optional<PciDevice> near = pci.find(from.get());
        Optional<PciDevice> far = pci.find(to.get());
        LinkType path = near.isEmpty() || far.isEmpty() ? LinkType.UNKNOWN : near.get().linkTo(far.get());
        return isXgmi(from.get(), to.get()) ? path.closer(LinkType.XGMI) : path;
    }

    private boolean isXgmi(PciAddress from, PciAddress to) {
        return xgmi.stream().anyMatch(link -> link.from().equals(from) && link.to().equals(to));
    }
}
