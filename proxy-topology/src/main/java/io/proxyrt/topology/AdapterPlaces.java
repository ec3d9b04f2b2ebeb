/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.platform.PciAddress;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.topology.xml.XmlElement;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Puts the adapters of a network, and no others, into what a host is made of: NCCL's {@code ncclTopoProcessNet}. One
 * that the document knows by its name stays where it is; another goes to its device of PCI, or else, as a virtual one,
 * to the first CPU. Their numbers are the network's. Of one thread.
 */
final class AdapterPlaces {
    private static final String NETWORK_CLASS = "0x02";

    private final List<TransportAdapter> adapters;
    /** Those that the document names, by name. */
    private final Map<String, Integer> named = new LinkedHashMap<>();
    private final BitSet placed = new BitSet();

    private AdapterPlaces(List<TransportAdapter> adapters) {
        this.adapters = adapters;
    }

    /** Also tells if the document had a place for at least one: else it says nothing of their distances. */
    static Placed of(XmlElement system, List<TransportAdapter> adapters) {
        AdapterPlaces places = new AdapterPlaces(adapters);
        places.findNames(system);
        XmlElement.Builder root = XmlElement.of(system.name());
        system.attributes().forEach(root::set);
        List<XmlElement> cpus = system.children().stream().map(places::placed).toList();
        boolean isAny = !places.placed.isEmpty();
        for (int cpu = 0; cpu < cpus.size(); cpu++) {
            root.add(cpu == 0 ? places.withVirtual(cpus.getFirst()) : cpus.get(cpu));
        }
        return new Placed(root.build(), isAny);
    }

    /**
     * What came of it.
     *
     * @param system with the adapters
     * @param isAny  whether the place of one is known
     */
    record Placed(XmlElement system, boolean isAny) {
    }

    /** Its address on PCI, or that of the device that its virtual bus sits on. */
    static Optional<PciAddress> address(TransportAdapter adapter) {
        String[] path = adapter.pciPath().split("/");
        Optional<PciAddress> address = Optional.empty();
        for (int i = path.length - 1; i >= 0 && address.isEmpty(); i--) {
            address = PciAddress.parse(path[i]);
        }
        return address;
    }

    private void findNames(XmlElement element) {
        String name = element.attributes().getOrDefault("name", "");
        for (int dev = 0; dev < adapters.size() && element.name().equals("net"); dev++) {
            if (isOf(adapters.get(dev).name(), name) && !named.containsValue(dev)) {
                named.putIfAbsent(name, dev);
            }
        }
        element.children().forEach(this::findNames);
    }

    /** Ours may tell of ports, too, where NCCL's do not: {@code mlx5_0:1}. */
    private static boolean isOf(String adapter, String name) {
        return adapter.equals(name) || !name.isEmpty() && adapter.startsWith(name + ":");
    }

    /** The element without networks of others, and with those of these that belong into it. */
    private XmlElement placed(XmlElement element) {
        List<XmlElement> nets = netsAt(element);
        XmlElement.Builder copy = XmlElement.of(element.name());
        element.attributes().forEach(copy::set);
        if (!nets.isEmpty()) {
            copy.set("class", element.attributes().getOrDefault("class", NETWORK_CLASS + "0000"));
        }
        for (XmlElement child : element.children()) {
            if (child.name().equals("nic")) {
                child.children().forEach(net -> named(net).ifPresent(nets::add));
            } else {
                copy.add(placed(child));
            }
        }
        if (!nets.isEmpty()) {
            copy.add(nic(nets));
        }
        return copy.build();
    }

    private static XmlElement nic(List<XmlElement> nets) {
        XmlElement.Builder nic = XmlElement.of("nic");
        nets.forEach(nic::add);
        return nic.build();
    }

    private Optional<XmlElement> named(XmlElement net) {
        Integer dev = named.get(net.attributes().getOrDefault("name", ""));
        return dev == null || placed.get(dev) ? Optional.empty() : Optional.of(net(dev, net.attributes()));
    }

    /** Those that no name places, by the address of their device. */
    private List<XmlElement> netsAt(XmlElement element) {
        List<XmlElement> nets = new ArrayList<>();
        Optional<PciAddress> here = PciAddress.parse(element.attributes().getOrDefault("busid", ""))
                .filter(any -> element.attributes().getOrDefault("class", NETWORK_CLASS).startsWith(NETWORK_CLASS));
        for (int dev = 0; dev < adapters.size() && here.isPresent(); dev++) {
            boolean isHere = address(adapters.get(dev)).equals(here);
            if (isHere && !placed.get(dev) && !named.containsValue(dev)) {
                nets.add(net(dev, Map.of()));
            }
        }
        return nets;
    }

    private XmlElement withVirtual(XmlElement cpu) {
        XmlElement.Builder copy = XmlElement.of(cpu.name());
        cpu.attributes().forEach(copy::set);
        cpu.children().forEach(copy::add);
        for (int dev = placed.nextClearBit(0); dev < adapters.size(); dev = placed.nextClearBit(dev)) {
            copy.add(nic(List.of(net(dev, Map.of()))));
        }
        return copy.build();
    }

    /** What the document says of it goes before what the network says, but for the number. */
    private XmlElement net(int dev, Map<String, String> known) {
        placed.set(dev);
        TransportAdapter adapter = adapters.get(dev);
        XmlElement.Builder net = XmlElement.of("net").set("name", adapter.name()).set("dev", dev)
                .set("speed", adapter.speedMbps() > 0 ? adapter.speedMbps() : 10000).set("port", 1)
                .set("guid", "0x" + Integer.toHexString(dev)).set("maxconn", 65536).set("gdr", adapter.isGdr() ? 1 : 0);
        known.forEach((key, value) -> {
            if (!key.equals("dev")) {
                net.set(key, value);
            }
        });
        return net.build();
    }
}
