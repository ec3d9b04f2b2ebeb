/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;
import java.util.Locale;

/** Reductions that can be measured, with the names of nccl-tests. */
public enum PerfOp {
    /** The sum. */
    SUM(RedOp.SUM),
    /** The product. */
    PROD(RedOp.PROD),
    /** The largest. */
    MAX(RedOp.MAX),
    /** The smallest. */
    MIN(RedOp.MIN),
    /** The mean. */
    AVG(RedOp.AVG),
    /** The sum of what each rank multiplies by its scalar: 1 of even ranks, 2 of odd ones, as nccl-tests has it. */
    MULSUM(RedOp.SUM);

    private final RedOp combining;

    PerfOp(RedOp combining) {
        this.combining = combining;
    }

    /**
     * As on the command line.
     *
     * @return lower case
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How what ranks put in is combined, once it is multiplied. */
    RedOp combining() {
        return combining;
    }

    /** By what a rank multiplies what it puts in. */
    int factor(int rank) {
        return this == MULSUM ? 1 + rank % 2 : 1;
    }

    /** What a rank asks a communicator for. */
    ReduceOp of(DataType type, int rank) {
        return this == MULSUM ? PreMulSum.of(type, factor(rank)) : combining;
    }
}
