/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceProvider;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.platform.NetworkPort;
import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.platform.Topology;
import java.util.ArrayList;
import java.util.List;

/**
 * All devices that this process can open, and what joins them.
 *
 * @param kinds the host's own first, then by name
 * @param ports of networks, those that are on PCI
 * @param links from each device of a driver to each other one and to each port
 */
public record DevicesView(List<KindView> kinds, List<NetworkPort> ports, List<LinkView> links) {
    /**
     * Opens every device, looks at it, and closes it again. Blocks for as long as the drivers take.
     *
     * @param config   says where drivers' libraries are
     * @param topology of this host
     * @return what there is
     */
    public static DevicesView of(ProxyConfig config, Topology topology) {
        List<Device> open = new ArrayList<>();
        try {
            List<KindView> kinds = new ArrayList<>();
            kinds.add(host(config, topology));
            for (DeviceProvider provider : Devices.providers()) {
                kinds.add(open(provider, config, topology, open));
            }
            List<NetworkPort> ports = topology.networkPorts().stream().filter(port -> port.address().isPresent())
                    .toList();
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
                .map(DeviceView::name).toList();
    }

    private static KindView host(ProxyConfig config, Topology topology) {
        try (Device device = Devices.open(Devices.HOST, 0, config)) {
            return new KindView(Devices.HOST, "", "", List.of(DeviceView.of(device, topology)), List.of());
        } catch (ProxyException e) {
            return new KindView(Devices.HOST, "", "", List.of(), List.of(e.getMessage()));
        }
    }

    private static KindView open(DeviceProvider provider, ProxyConfig config, Topology topology, List<Device> open) {
        List<DeviceView> devices = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        String whyNot = provider.whyNot(config);
        for (int ordinal = 0; whyNot.isEmpty() && ordinal < provider.count(config); ordinal++) {
            try {
                Device device = provider.open(ordinal, config);
                open.add(device);
                devices.add(DeviceView.of(device, topology));
            } catch (ProxyException e) {
                problems.add(provider.kind() + ":" + ordinal + ": " + e.getMessage());
            }
        }
        return new KindView(provider.kind(), provider.version(config), whyNot, devices, problems);
    }

    private static List<LinkView> links(List<Device> devices, List<NetworkPort> ports, Topology topology) {
        List<LinkView> links = new ArrayList<>();
        for (Device from : devices) {
            for (Device to : devices) {
                links.add(link(from, to, topology));
            }
            for (NetworkPort port : ports) {
                LinkType type = topology.link(from.attributes().pciId(),
                        port.address().map(PciAddress::toString).orElse(""));
                links.add(new LinkView(from.name(), port.name(), type, false, ""));
            }
        }
        return List.copyOf(links);
    }

    private static LinkView link(Device from, Device to, Topology topology) {
        if (from == to) {
            return new LinkView(from.name(), to.name(), LinkType.SELF, true, "");
        }
        LinkType type = topology.link(from.attributes().pciId(), to.attributes().pciId()).closer(from.linkTo(to));
        boolean isPeer = from.canAccessPeer(to);
        String whyNot = isPeer ? "" : from.whyNoPeer(PeerDevice.of(to));
        return new LinkView(from.name(), to.name(), type, isPeer,
                isPeer || !whyNot.isEmpty() ? whyNot : "its driver says that it cannot");
    }
}
