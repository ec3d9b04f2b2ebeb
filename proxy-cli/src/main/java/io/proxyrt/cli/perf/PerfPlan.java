/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What to measure, the same at all ranks.
 *
 * @param collective which
 * @param sizes      of the buffers
 * @param loops      how often
 * @param types      of the elements
 * @param ops        reductions; passed over where nothing is reduced
 * @param roots      passed over where there is none
 * @param average    which rank's time is reported
 * @param jitWarmup  how long to warm up the compilers before the table
 */
public record PerfPlan(Collective collective, Sizes sizes, Loops loops, List<DataType> types, List<PerfOp> ops,
        List<Integer> roots, Average average, Duration jitWarmup) {
    /**
     * How often.
     *
     * @param iterations timed
     * @param warmup     before the first row of each type and op, at the largest and at the smallest size
     * @param checks     rounds of the data check; 0 for none
     * @param aggregate  launches in each iteration
     * @param graphs     launches of a graph that all iterations are captured in; 0 if they are launched themselves
     */
    public record Loops(int iterations, int warmup, int checks, int aggregate, int graphs) {
    }

    /** Which time is reported; numbered as nccl-tests' {@code -a}. */
    public enum Average {
        /** Rank 0's. */
        RANK0,
        /** The mean over all ranks. */
        AVERAGE,
        /** The fastest rank's. */
        MIN,
        /** The slowest rank's. */
        MAX
    }

    /**
     * One combination of type, reduction and root.
     *
     * @param type of the elements
     * @param op   null where nothing is reduced
     * @param root -1 where there is none
     */
    record Variant(DataType type, PerfOp op, int root) {
    }

    /** In the order of the table. */
    List<Variant> variants() {
        List<Variant> variants = new ArrayList<>();
        for (DataType type : types) {
            for (PerfOp op : collective.isReducing() ? ops : Collections.singletonList((PerfOp) null)) {
                for (int root : collective.isRooted() ? roots : List.of(-1)) {
                    variants.add(new Variant(type, op, root));
                }
            }
        }
        return variants;
    }

    Shape shape(long bytes, DataType type, int rank, int nRanks) {
        return collective.shape(bytes / type.sizeBytes(), type.sizeBytes(), rank, nRanks);
    }
}
