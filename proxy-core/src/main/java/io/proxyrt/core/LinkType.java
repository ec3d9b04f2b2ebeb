/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** What joins two devices of a host, the closest first; of PCI with the names that drivers' own tools use. */
public enum LinkType {
    /** They are one and the same. */
    SELF("X", "the device itself"),
    /** NVIDIA's link between GPUs. */
    NVLINK("NVL", "NVLink"),
    /** AMD's link between GPUs. */
    XGMI("XGMI", "xGMI"),
    /** One PCI switch, or one bridge. */
    PIX("PIX", "one PCI bridge or switch"),
    /** PCI switches, one behind the other. */
    PXB("PXB", "several PCI switches"),
    /** The root complex that both are behind. */
    PHB("PHB", "a PCI root complex"),
    /** Root complexes of one NUMA node. */
    NODE("NODE", "root complexes of one NUMA node"),
    /** The link between NUMA nodes. */
    SYS("SYS", "the link between NUMA nodes"),
    /** One of them is no device of PCI, or the system does not tell. */
    UNKNOWN("?", "not known");

    private final String label;
    private final String text;

    LinkType(String label, String text) {
        this.label = label;
        this.text = text;
    }

    /**
     * For a table.
     *
     * @return at most four letters
     */
    public String label() {
        return label;
    }

    /**
     * For people.
     *
     * @return what data have to pass
     */
    public String text() {
        return text;
    }

    /**
     * Whether a line of 128 bytes that a warp stores at once over it is seen at once, as NCCL's LL128 needs. GPUs that
     * cannot do so make nothing of it.
     *
     * @return true by NVLink, and within a device
     */
    public boolean hasWholeLines() {
        return this == SELF || this == NVLINK;
    }

    /**
     * Which one of two ways is the shorter.
     *
     * @param other any
     * @return this or the other
     */
    public LinkType closer(LinkType other) {
        return ordinal() <= other.ordinal() ? this : other;
    }
}
