/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

/** How memory of one rank's device gets to the kernels of another's. */
public enum P2pWay {
    /** The first of the others that works. */
    AUTO,
    /** Both ranks are in one process: each uses the other's memory as it is. */
    DIRECT,
    /** By a descriptor, from the device's virtual memory management: RCCL's CUMEM. */
    VMM,
    /** By a handle of the device's driver, which the ranks tell each other. */
    IPC
}
