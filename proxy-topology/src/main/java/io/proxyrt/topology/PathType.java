/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** How two nodes reach each other, the closest first, numbered as NCCL does. */
public enum PathType {
    /** They are the same. */
    LOC,
    /** NVLink, or xGMI. */
    NVL,
    /** NVLink over another GPU. */
    NVB,
    /** A chip-to-chip link between a GPU and its CPU. */
    C2C,
    /** One PCI switch at most. */
    PIX,
    /** Several PCI switches. */
    PXB,
    /** From a GPU by C2C to its CPU, and from there to the NIC. */
    P2C,
    /** To a NIC over another GPU that is close to it. */
    PXN,
    /** Over a CPU. */
    PHB,
    /** Over the link between CPUs. */
    SYS,
    /** Over the network. */
    NET,
    /** Not at all. */
    DIS;

    /** The type of a name; {@code XGMI}, as RCCL writes it, is {@link #NVL}. Empty if there is none such. */
    static Optional<PathType> find(String text) {
        String name = text.toUpperCase(Locale.ROOT);
        return Arrays.stream(values()).filter(type -> type.name().equals(name) || type == NVL && name.equals("XGMI"))
                .findFirst();
    }

    PathType farther(PathType other) {
        return compareTo(other) >= 0 ? this : other;
    }

    PathType closer(PathType other) {
        return compareTo(other) <= 0 ? this : other;
    }
}
