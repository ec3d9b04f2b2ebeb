/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.devices;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.platform.PciLink;
import io.proxyrt.core.platform.Topology;
import java.util.Set;
import java.util.TreeSet;

/**
 * A device that was opened.
 *
 * @param name         as {@link Device#name()}
 * @param attributes   what its driver says of it
 * @param capabilities in the order of their declaration
 * @param bus          how it is attached to PCI
 * @param note         what else there is to say, for people; empty if nothing
 */
record DeviceView(String name, DeviceAttributes attributes, Set<DeviceCapability> capabilities, PciLink bus,
        String note) {
    static DeviceView of(Device device, Topology topology) {
        DeviceAttributes attributes = device.attributes();
        PciLink bus = topology.pciDevice(attributes.pciId()).map(pci -> pci.link()).orElse(PciLink.UNKNOWN);
        String note = device instanceof HostDevice host
                ? "plays the GPU with this host's memory and threads: " + host.placement() : "";
        return new DeviceView(device.name(), attributes, new TreeSet<>(device.capabilities()), bus, note);
    }
}
