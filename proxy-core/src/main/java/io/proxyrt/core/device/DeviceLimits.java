/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

/**
 * How much of a thing a device does at a time. Immutable.
 *
 * @param processors       that run blocks of a kernel, at least 1
 * @param warpSize         threads that go in step, at least 1
 * @param asyncEngines     copies that go on beside kernels, at least 1
 * @param maxBlockThreads  threads of a block, at least 1
 * @param maxSharedBytes   memory that a block's threads share
 * @param granularityBytes what shareable memory is rounded up to in the device, a power of two
 */
public record DeviceLimits(int processors, int warpSize, int asyncEngines, int maxBlockThreads, int maxSharedBytes,
        long granularityBytes) {
}
