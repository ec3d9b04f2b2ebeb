/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

/**
 * What a device of a network is and can do: the part of {@code ncclNetProperties} that this runtime looks at.
 *
 * @param name         of the device, such as {@code mlx5_0:1}
 * @param pciPath      in sysfs; empty for a device that has no place there
 * @param guid         tells devices of one host apart
 * @param speedMbps    megabits per second
 * @param maxComms     how many comms it bears
 * @param maxCollBytes most bytes of a call
 */
public record CollNetProperties(String name, String pciPath, long guid, int speedMbps, int maxComms,
        long maxCollBytes) {
}
