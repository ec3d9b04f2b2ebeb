/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.LinkType;
import io.proxyrt.core.platform.PciDevice;
import io.proxyrt.core.platform.Topology;
import io.proxyrt.transport.net.MergeLevel;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Which ports are one device.
 *
 * @param level        how far apart they may be
 * @param isOfVirtuals whether virtual functions of an adapter count as that one
 * @param forced       those that are one device, wherever they are
 */
record Merging(MergeLevel level, boolean isOfVirtuals, List<List<HcaFilter.Entry>> forced) {
    /**
     * Reads {@code NCCL_NET_FORCE_MERGE}: devices are apart by semicolons, and their ports by commas.
     *
     * @throws IllegalArgumentException if it is something else
     */
    static List<List<HcaFilter.Entry>> parse(String text) {
        List<List<HcaFilter.Entry>> groups = Arrays.stream(text.split(";")).filter(group -> !group.isBlank())
                .map(Merging::group).toList();
        checkTwice(groups.stream().flatMap(List::stream).toList());
        return groups;
    }

    private static void checkTwice(List<HcaFilter.Entry> all) {
        for (int i = 0; i < all.size(); i++) {
            for (HcaFilter.Entry earlier : all.subList(0, i)) {
                if (earlier.overlaps(all.get(i))) {
                    throw new IllegalArgumentException("'" + all.get(i) + "' is named again, after '" + earlier
                            + "'; a port is part of one device");
                }
            }
        }
    }

    private static List<HcaFilter.Entry> group(String text) {
        List<HcaFilter.Entry> group = Arrays.stream(text.split(",")).map(String::strip).filter(name -> !name.isEmpty())
                .map(HcaFilter.Entry::parse).toList();
        if (group.size() < 2 || group.size() > IbDevice.MAX_PORTS) {
            throw new IllegalArgumentException("'" + text.strip() + "' names " + group.size() + " ports; 2 to "
                    + IbDevice.MAX_PORTS + " are one device");
        }
        return group;
    }

    /** Whether ports of several adapters may be one device. */
    boolean isByDistance() {
        return level.allows(LinkType.PIX);
    }

    /** Whether two adapters are near enough, by where they are in the system's tree. */
    boolean joins(Topology host, String one, String other) {
        Optional<PciDevice> from = host.pciDeviceAt(one);
        Optional<PciDevice> to = host.pciDeviceAt(other);
        return from.isPresent() && to.isPresent() && level.allows(from.get().linkTo(to.get()));
    }
}
