/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

/** What a node of a topology is, numbered as NCCL does. */
public enum NodeType {
    /** A rank's GPU; of a rank on the host device, the memory that plays it. */
    GPU,
    /** A PCI switch or bridge. */
    PCI,
    /** An NVSwitch; all of a host are one. */
    NVS,
    /** A NUMA node. */
    CPU,
    /** A network adapter. */
    NIC,
    /** A port of a network adapter, or whatever else its plug-in calls a device. */
    NET
}
