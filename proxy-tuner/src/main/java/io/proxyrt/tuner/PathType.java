/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

/** The worst part of the way between two devices, the closest first; numbered as {@code PATH_*} of NCCL's topology. */
public enum PathType {
    /** They are one and the same. */
    LOC,
    /** A link of GPUs: NVLink or xGMI. */
    NVL,
    /** Such links, by way of another GPU. */
    NVB,
    /** The link between a GPU and its CPU. */
    C2C,
    /** One PCI switch. */
    PIX,
    /** Several PCI switches. */
    PXB,
    /** A GPU's link to its CPU, then PCI. */
    P2C,
    /** Another GPU's adapter. */
    PXN,
    /** A CPU's root complex. */
    PHB,
    /** The link between CPUs. */
    SYS,
    /** The network. */
    NET,
    /** There is none. */
    DIS
}
