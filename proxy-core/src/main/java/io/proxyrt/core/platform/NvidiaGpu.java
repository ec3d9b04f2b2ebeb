/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.util.List;

/**
 * What NVIDIA's driver tells of a GPU. Immutable.
 *
 * @param address           where it is
 * @param computeCapability major and minor in one, such as 90
 * @param links             NVLinks that are up and carry data of peers, one for each other end
 * @param c2cLinks          chip-to-chip links to its CPU that are up
 * @param c2cMbps           MB/s of one of these; 0 if there is none
 */
public record NvidiaGpu(PciAddress address, int computeCapability, List<NvLink> links, int c2cLinks, int c2cMbps) {
    /** Copies the links. */
    public NvidiaGpu {
        links = List.copyOf(links);
    }
}
