/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

/**
 * What NVLinks join a GPU to. Immutable.
 *
 * @param target where the other end is on PCI, in lower case; in a virtual machine that does not see it no address,
 *               such as {@code fffffff:ffff:ff}
 * @param count  how many physical links there are, at least 1
 * @param isGpu  whether the driver says that a GPU is there; if not, or it does not tell, it is likely a switch
 */
public record NvLink(String target, int count, boolean isGpu) {
}
