/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.LinkType;

/** How far apart ports may be that are one device: NCCL's path types. */
public enum MergeLevel {
    /** Each is a device of its own. */
    LOC(null),
    /** Of one adapter. */
    PORT(LinkType.SELF),
    /** At one PCI switch. */
    PIX(LinkType.PIX),
    /** At PCI switches. */
    PXB(LinkType.PXB),
    /** Within a NUMA node. */
    PHB(LinkType.NODE),
    /** Anywhere on the host. */
    SYS(LinkType.SYS);

    /** Null if none is near enough. */
    private final LinkType farthest;

    MergeLevel(LinkType farthest) {
        this.farthest = farthest;
    }

    /**
     * Whether adapters are near enough.
     *
     * @param link between them
     * @return false if it is not known
     */
    public boolean allows(LinkType link) {
        return farthest != null && link.ordinal() <= farthest.ordinal();
    }
}
