/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.config.ProxyConfig;

/**
 * Up to which size collectives of GPUs go in one shot or two, where all ranks send to all others.
 *
 * @param oneShot  of an all-reduce, in one
 * @param twoShots of an all-reduce, in two if not in one
 * @param gathers  of a rank's part of an all-gather, in one
 * @param scatters of a rank's part of a reduce-scatter, in one
 */
record ShotLimits(long oneShot, long twoShots, long gathers, long scatters) {
    static final long NEVER = -1;
    static final ShotLimits NONE = new ShotLimits(NEVER, NEVER, NEVER, NEVER);
    /** Two ranks send as much in one shot as in two. */
    private static final int FEWEST_FOR_TWO = 3;

    /** For ranks of which the slowest connection goes by that. */
    static ShotLimits of(ProxyConfig config, int nRanks, GpuPath path) {
        if (nRanks < 2 || nRanks > OneShot.MOST_RANKS || path == GpuPath.NET) {
            return NONE;
        }
        int others = nRanks - 1;
        long oneShot = path.shotBytes(config, CollectivesOptions.GPU_ONE_SHOT_BYTES) / others;
        long most = path.shotBytes(config, CollectivesOptions.GPU_TWO_SHOT_BYTES) / others;
        // In two shots a rank sends each other one two parts. To reduce takes longer than to store.
        return new ShotLimits(oneShot, nRanks < FEWEST_FOR_TWO ? NEVER : most * nRanks / 2, most, most * 2 / 3);
    }

    /** NEVER if no call of that goes so. */
    long most(CollFunction function) {
        return switch (function) {
            case ALL_REDUCE -> Math.max(oneShot, twoShots);
            case ALL_GATHER -> gathers;
            case REDUCE_SCATTER -> scatters;
            default -> NEVER;
        };
    }
}
