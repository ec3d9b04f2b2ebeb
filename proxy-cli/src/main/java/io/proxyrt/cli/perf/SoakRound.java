/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Operations that are under way at the same time. Seed and number make them, so a round can be had again on its own.
 *
 * @param number from 0 on
 * @param ops    in the order of their launch
 */
record SoakRound(long number, List<SoakOp> ops) {
    static final int MAX_OPS = 4;
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    static SoakRound of(long seed, long number, int nRanks, long maxBytes) {
        SplittableRandom random = new SplittableRandom(seed + number * GOLDEN);
        List<SoakOp> ops = new ArrayList<>();
        for (int i = random.nextInt(1, MAX_OPS + 1); i > 0; i--) {
            ops.add(SoakOp.random(random, nRanks, maxBytes));
        }
        return new SoakRound(number, List.copyOf(ops));
    }
}
