/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.transport.net.IbOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Puts ports together that are one device: NCCL's {@code ncclTopoMakeVNics}. Of one thread. */
final class PortGroups {
    private final Merging merging;
    /** Null if it does not matter how far adapters are apart. */
    private final Topology host;
    private final List<Group> groups = new ArrayList<>();

    /** Ports; what names them, if anything does; and where the first is. */
    private record Group(List<IbPort> ports, List<HcaFilter.Entry> forced, String path, String place) {
        boolean hasRoomFor(IbPort port) {
            return ports.size() < IbDevice.MAX_PORTS && ports.getFirst().linkLayer() == port.linkLayer();
        }

        boolean isNamed(HcaFilter.Entry entry) {
            return ports.stream().anyMatch(port -> entry.isMeant(port.adapter().name(), port.number(), true));
        }
    }

    /** The host is looked at if it matters how far adapters are apart. */
    PortGroups(Merging merging, Supplier<Topology> host) {
        this.merging = merging;
        this.host = merging.isByDistance() ? host.get() : null;
    }

    /** In the order in which they are found. */
    void add(IbPort port) {
        String path = port.adapter().context().pciPath();
        String place = PciPath.ofAdapter(path, merging.isOfVirtuals());
        List<HcaFilter.Entry> forced = forced(port);
        Optional<Group> known = groups.stream().filter(group -> forced.isEmpty()
                ? group.forced.isEmpty() && group.hasRoomFor(port) && isNear(group, port, path, place)
                : group.forced.equals(forced)).findFirst();
        if (known.isPresent() && !known.get().hasRoomFor(port)) {
            throw refusal(forced, port.name() + " does not go with " + known.get().ports.getFirst().name()
                    + ": " + IbDevice.MAX_PORTS + " ports of one link layer are the most");
        }
        known.ifPresentOrElse(group -> group.ports.add(port),
                () -> groups.add(new Group(new ArrayList<>(List.of(port)), forced, path, place)));
    }

    /** Those named together with a port; empty if none is. */
    private List<HcaFilter.Entry> forced(IbPort port) {
        return merging.forced().stream().filter(group -> group.stream()
                .anyMatch(entry -> entry.isMeant(port.adapter().name(), port.number(), true))).findFirst()
                .orElse(List.of());
    }

    /** Ports of one adapter may differ in speed; a slow one of another adapter would hold the others up. */
    private boolean isNear(Group group, IbPort port, String path, String place) {
        boolean isOfOne = !place.isEmpty() && place.equals(group.place);
        return isOfOne ? merging.level().allows(LinkType.SELF) : host != null
                && group.ports.getFirst().speedMbps() == port.speedMbps() && merging.joins(host, group.path, path);
    }

    /** In the order of their first ports. */
    List<IbDevice> devices() {
        for (List<HcaFilter.Entry> forced : merging.forced()) {
            Optional<Group> found = groups.stream().filter(group -> group.forced.equals(forced)).findFirst();
            forced.stream().filter(entry -> found.isEmpty() || !found.get().isNamed(entry)).findFirst()
                    .ifPresent(entry -> {
                        throw refusal(forced, entry + " is not there, or not used");
                    });
        }
        return groups.stream().map(group -> new IbDevice(List.copyOf(group.ports), group.place)).toList();
    }

    private static ProxyException refusal(List<HcaFilter.Entry> forced, String why) {
        return new ProxyException(ProxyResult.INVALID_USAGE, IbOptions.FORCE_MERGE + " or "
                + IbOptions.FORCE_MERGE.alias() + " makes one device of " + forced + ", and " + why
                + "; ./proxyrt info ib shows the ports that there are");
    }
}
