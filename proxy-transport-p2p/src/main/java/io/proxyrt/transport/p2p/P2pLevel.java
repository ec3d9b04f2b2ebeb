/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.LinkType;

/** How far apart devices may be that use each other's memory: NCCL's path types. */
public enum P2pLevel {
    /** As far as the driver reaches. */
    ANY(LinkType.UNKNOWN),
    /** Not at all, but for ranks that share a device. */
    LOC(LinkType.SELF),
    /** By NVLink or xGMI. */
    NVL(LinkType.XGMI),
    /** By one PCI switch. */
    PIX(LinkType.PIX),
    /** By PCI switches. */
    PXB(LinkType.PXB),
    /** Within a NUMA node. */
    PHB(LinkType.NODE),
    /** Between NUMA nodes. */
    SYS(LinkType.SYS);

    private final LinkType farthest;

    P2pLevel(LinkType farthest) {
        this.farthest = farthest;
    }

    /** A link of unknown type is not refused. */
    boolean allows(LinkType link) {
        return link == LinkType.UNKNOWN || link.ordinal() <= farthest.ordinal();
    }
}
