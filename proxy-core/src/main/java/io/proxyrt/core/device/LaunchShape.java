/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;

/**
 * How many threads run a kernel: a grid of blocks, each a box of threads. Immutable; made once and used for many
 * launches.
 *
 * @param gridX       blocks, at least 1
 * @param gridY       blocks, at least 1
 * @param gridZ       blocks, at least 1
 * @param blockX      threads of a block, at least 1
 * @param blockY      threads of a block, at least 1
 * @param blockZ      threads of a block, at least 1
 * @param sharedBytes memory that a block's threads share beyond what the kernel itself declares, at least 0
 */
public record LaunchShape(int gridX, int gridY, int gridZ, int blockX, int blockY, int blockZ, int sharedBytes) {
    /**
     * Checks it, as far as that can be done without a device.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if a number is too small
     */
    public LaunchShape {
        if (Math.min(Math.min(gridX, gridY), gridZ) < 1 || Math.min(Math.min(blockX, blockY), blockZ) < 1
                || sharedBytes < 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a grid of " + gridX + " x " + gridY + " x " + gridZ
                    + " blocks of " + blockX + " x " + blockY + " x " + blockZ + " threads that share " + sharedBytes
                    + " bytes");
        }
    }

    /**
     * Blocks and threads in a row.
     *
     * @param blocks  at least 1
     * @param threads of a block, at least 1
     * @return without shared memory
     */
    public static LaunchShape of(int blocks, int threads) {
        return new LaunchShape(blocks, 1, 1, threads, 1, 1, 0);
    }

    /**
     * Threads of a block.
     *
     * @return at least 1
     */
    public long blockThreads() {
        return (long) blockX * blockY * blockZ;
    }
}
