/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.util.Optional;

/**
 * A network interface, or a device of RDMA. Immutable.
 *
 * @param name      such as {@code eth0}, {@code mlx5_0}
 * @param isRdma    whether it is listed as a device of RDMA
 * @param address   on PCI; empty if it is not there: a virtual one
 * @param numaNode  -1 if there is none such
 * @param speedMbps 0 if it does not say
 */
public record NetworkPort(String name, boolean isRdma, Optional<PciAddress> address, int numaNode, int speedMbps) {
}
