/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import io.proxyrt.cli.view.Json;
import io.proxyrt.core.LinkType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceLimits;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.platform.NetworkPort;
import io.proxyrt.core.platform.NvLink;
import io.proxyrt.core.platform.NvidiaDriver;
import io.proxyrt.core.platform.NvidiaGpu;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.platform.PciLink;
import io.proxyrt.core.platform.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * All devices that this process can open, and what joins them. Its components are the fields of the JSON document.
 *
 * @param kinds        the host's own first, then by name
 * @param networkPorts those that are on PCI
 * @param links        from each device of a driver to each other one and to each port
 */
public record DevicesView(List<Kind> kinds, List<Port> networkPorts, List<Link> links) {
    private static final String CUDA = "cuda";

    /**
     * What came of looking for devices of a kind.
     *
     * @param kind     such as {@code cuda}
     * @param version  what its libraries say of themselves; empty if there are none
     * @param whyNot   why there is no device; empty if there is one
     * @param notes    as {@link DeviceProvider#explain}
     * @param problems why some could not be opened, one each
     * @param devices  those that could
     */
    record Kind(String kind, String version, String whyNot, List<String> notes, List<String> problems,
            List<Opened> devices) {
    }

    /**
     * A device that was opened; most of it is as in {@link DeviceAttributes}.
     *
     * @param name         as {@link Device#name()}
     * @param model        for people
     * @param architecture what kernels are compiled for
     * @param pciId        empty if it is not on PCI
     * @param numaNode     negative if there is none, or it does not say
     * @param memoryBytes  0 if it does not say
     * @param bus          how it is attached to PCI
     * @param limits       of kernels, copies and memory
     * @param capabilities in the order of their declaration
     * @param nvlinks      that are up; empty of other vendors' GPUs
     * @param note         what else there is to say; empty if nothing
     */
    record Opened(String name, String model, String architecture, String pciId, int numaNode, long memoryBytes,
            @Json.Inline Bus bus, @Json.Inline DeviceLimits limits, Set<DeviceCapability> capabilities,
            List<NvLink> nvlinks, @Json.TextOnly String note) {
        static Opened of(Device device, Topology topology) {
            DeviceAttributes says = device.attributes();
            PciLink link = topology.pciDevice(says.pciId()).map(pci -> pci.link()).orElse(PciLink.UNKNOWN);
            String note = device instanceof HostDevice host
                    ? "plays the GPU with this host's memory and threads: " + host.placement() : "";
            return new Opened(device.name(), says.model(), says.architecture(), says.pciId(), says.numaNode(),
                    says.memoryBytes(), new Bus(link.gigatransfers(), link.lanes()), says.limits(),
                    new TreeSet<>(device.capabilities()), List.of(), note);
        }

        Opened with(NvidiaGpu told) {
            return new Opened(name, model, architecture, pciId, numaNode, memoryBytes, bus, limits, capabilities,
                    told.links(), note);
        }
    }

    /**
     * A {@link PciLink}.
     *
     * @param busGigatransfers per second and lane; 0 if not known
     * @param busLanes         how many; 0 if not known
     */
    record Bus(double busGigatransfers, int busLanes) {
        @Override
        public String toString() {
            return new PciLink(busGigatransfers, busLanes).toString();
        }
    }

    /**
     * A {@link NetworkPort}.
     *
     * @param name      as there
     * @param isRdma    as there
     * @param pciId     as there
     * @param numaNode  as there
     * @param speedMbps as there
     */
    record Port(String name, boolean isRdma, String pciId, int numaNode, int speedMbps) {
        static Port of(NetworkPort port, PciAddress address) {
            return new Port(port.name(), port.isRdma(), address.toString(), port.numaNode(), port.speedMbps());
        }
    }

    /**
     * What joins two things in the matrix.
     *
     * @param from   a device's name
     * @param to     the name of a device or of a network port
     * @param type   the shortest way between them
     * @param isPeer whether {@code from} reaches the other one's memory
     * @param whyNot why it does not; empty if it does, and for network ports
     */
    record Link(String from, String to, LinkType type, boolean isPeer, String whyNot) {
    }

    /**
     * Opens every device, looks at it, and closes it again. Blocks for as long as the drivers take.
     *
     * @param config   says where drivers' libraries are
     * @param topology of this host
     * @param nvidia   tells of links
     * @return what there is
     */
    public static DevicesView of(ProxyConfig config, Topology topology, NvidiaDriver nvidia) {
        List<Device> open = new ArrayList<>();
        try {
            List<Kind> kinds = new ArrayList<>();
            kinds.add(host(config, topology));
            for (DeviceProvider provider : Devices.providers()) {
                Kind kind = open(provider, config, topology, open);
                kinds.add(kind.kind().equals(CUDA) ? linked(kind, nvidia, config) : kind);
            }
            List<Port> ports = topology.networkPorts().stream()
                    .flatMap(port -> port.address().map(address -> Port.of(port, address)).stream()).toList();
            return new DevicesView(List.copyOf(kinds), ports, links(open, ports, topology));
        } finally {
            open.forEach(Device::close);
        }
    }

    /**
     * Whether all devices that were found could be opened.
     *
     * @return true also if there are none but the host's
     */
    public boolean isWhole() {
        return kinds.stream().allMatch(kind -> kind.problems().isEmpty());
    }

    /** The names of the devices that drivers serve. */
    List<String> driven() {
        return kinds.stream().filter(kind -> !kind.kind().equals(Devices.HOST)).flatMap(kind -> kind.devices().stream())
                .map(Opened::name).toList();
    }

    private static Kind host(ProxyConfig config, Topology topology) {
        try (Device device = Devices.open(Devices.HOST, 0, config)) {
            return new Kind(Devices.HOST, "", "", List.of(), List.of(), List.of(Opened.of(device, topology)));
        } catch (ProxyException e) {
            return new Kind(Devices.HOST, "", "", List.of(), List.of(e.getMessage()), List.of());
        }
    }

    private static Kind open(DeviceProvider provider, ProxyConfig config, Topology topology, List<Device> open) {
        List<Opened> devices = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        String whyNot = provider.whyNot(config);
        for (int ordinal = 0; whyNot.isEmpty() && ordinal < provider.count(config); ordinal++) {
            try {
                Device device = provider.open(ordinal, config);
                open.add(device);
                devices.add(Opened.of(device, topology));
            } catch (ProxyException e) {
                problems.add(provider.kind() + ":" + ordinal + ": " + e.getMessage());
            }
        }
        return new Kind(provider.kind(), provider.version(config), whyNot, provider.explain(config), problems, devices);
    }

    private static Kind linked(Kind kind, NvidiaDriver nvidia, ProxyConfig config) {
        List<PciAddress> addresses = kind.devices().stream()
                .flatMap(device -> PciAddress.parse(device.pciId()).stream()).toList();
        if (addresses.isEmpty()) {
            return kind;
        }
        NvidiaDriver.Answer answer = nvidia.ask(addresses, config.get(CoreOptions.CONNECT_TIMEOUT));
        Map<PciAddress, NvidiaGpu> told = answer.gpus().stream()
                .collect(Collectors.toMap(NvidiaGpu::address, Function.identity(), (one, same) -> one));
        List<Opened> devices = kind.devices().stream().map(device -> PciAddress.parse(device.pciId()).map(told::get)
                .map(device::with).orElse(device)).toList();
        List<String> notes = new ArrayList<>(kind.notes());
        String missing = told.isEmpty() ? "NVLinks are not known: " : "some NVLinks are not known: ";
        answer.problems().forEach(problem -> notes.add(missing + problem));
        if (answer.problems().isEmpty() && !told.keySet().containsAll(addresses)) {
            notes.add(missing + "NVIDIA's driver does not give all of these GPUs to NVML");
        }
        return new Kind(kind.kind(), kind.version(), kind.whyNot(), List.copyOf(notes), kind.problems(), devices);
    }

    private static List<Link> links(List<Device> devices, List<Port> ports, Topology topology) {
        List<Link> links = new ArrayList<>();
        for (Device from : devices) {
            for (Device to : devices) {
                links.add(link(from, to, topology));
            }
            for (Port port : ports) {
                LinkType type = topology.link(from.attributes().pciId(), port.pciId());
                links.add(new Link(from.name(), port.name(), type, false, ""));
            }
        }
        return List.copyOf(links);
    }

    private static Link link(Device from, Device to, Topology topology) {
        if (from == to) {
            return new Link(from.name(), to.name(), LinkType.SELF, true, "");
        }
        PeerDevice peer = PeerDevice.of(to);
        LinkType type = topology.link(from.attributes().pciId(), to.attributes().pciId()).closer(from.linkTo(peer));
        boolean isPeer = from.canAccessPeer(to);
        String whyNot = isPeer ? "" : from.whyNoPeer(peer);
        return new Link(from.name(), to.name(), type, isPeer,
                isPeer || !whyNot.isEmpty() ? whyNot : "its driver says that it cannot");
    }
}
