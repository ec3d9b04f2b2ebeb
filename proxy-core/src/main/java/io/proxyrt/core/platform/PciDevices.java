/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The PCI devices of a host, as {@code /sys/bus/pci/devices} has them: links to where they are in the tree. */
final class PciDevices {
    private final Path folder;

    PciDevices(Path root) {
        this.folder = root.resolve("sys/bus/pci/devices");
    }

    /** Partitions of a GPU are found at the GPU. */
    Optional<PciDevice> find(PciAddress address) {
        return at(address).or(() -> at(address.whole()));
    }

    /** By address. */
    List<PciDevice> all() {
        return Sysfs.list(folder).stream().flatMap(file -> PciAddress.parse(file.getFileName().toString()).stream())
                .flatMap(address -> at(address).stream()).sorted(Comparator.comparing(PciDevice::address)).toList();
    }

    private Optional<PciDevice> at(PciAddress address) {
        Path device;
        try {
            device = folder.resolve(address.toString()).toRealPath();
        } catch (IOException e) {
            return Optional.empty();
        }
        return Optional.of(new PciDevice(address, (int) Sysfs.number(device.resolve("class"), 0),
                (int) Sysfs.number(device.resolve("vendor"), 0), (int) Sysfs.number(device.resolve("numa_node"), -1),
                link(device).and(link(device.getParent())), path(device)));
    }

    private static PciLink link(Path device) {
        String speed = Sysfs.text(device.resolve("max_link_speed"));
        int lanes = (int) Sysfs.number(device.resolve("max_link_width"), 0);
        return new PciLink(speed.matches("\\d+(\\.\\d+)? GT/s.*") ? Double.parseDouble(speed.replaceAll(" .*", "")) : 0,
                Math.max(0, lanes));
    }

    /** Up to the first folder that is no bridge: the root complex. */
    private static List<String> path(Path device) {
        List<String> path = new ArrayList<>();
        Path at = device;
        while (at.getFileName() != null && PciAddress.parse(at.getFileName().toString()).isPresent()) {
            path.addFirst(at.getFileName().toString());
            at = at.getParent();
        }
        if (at.getFileName() != null) {
            path.addFirst(at.getFileName().toString());
        }
        return List.copyOf(path);
    }
}
