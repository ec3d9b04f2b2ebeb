/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import io.proxyrt.core.LinkType;
import java.util.List;

/**
 * A device of PCI. Immutable.
 *
 * @param address  where it is
 * @param kind     its class, 24 bits: 03… is a display, 12… an accelerator, 02… a network adapter
 * @param vendor   such as 0x10de, 0x1002
 * @param numaNode that it is attached to; -1 if there is none such
 * @param link     the slower one of its own and of the port that it is plugged into
 * @param path     from the root complex, such as {@code pci0000:00}, over the bridges, to the device itself
 */
public record PciDevice(PciAddress address, int kind, int vendor, int numaNode, PciLink link, List<String> path) {
    /** What is left below the bridge that two devices share, if no more than one switch joins them. */
    private static final int WITHIN_SWITCH = 2;

    /**
     * What joins it to another one.
     *
     * @param other of the same host
     * @return {@link LinkType#SELF}, or a type of PCI
     */
    public LinkType linkTo(PciDevice other) {
        if (path.equals(other.path)) {
            return LinkType.SELF;
        }
        int shared = 0;
        while (shared < Math.min(path.size(), other.path.size()) && path.get(shared).equals(other.path.get(shared))) {
            shared++;
        }
        if (shared == 0) {
            return Math.max(0, numaNode) == Math.max(0, other.numaNode) ? LinkType.NODE : LinkType.SYS;
        }
        if (shared == 1) {
            return LinkType.PHB;
        }
        // A switch is a bridge upstream, which both share, and one downstream for each port.
        return Math.max(path.size(), other.path.size()) - shared <= WITHIN_SWITCH ? LinkType.PIX : LinkType.PXB;
    }
}
