/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.reduction;

import io.proxyrt.core.DataType;
import io.proxyrt.core.PreMulSum;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.ReduceOp;

/** All reductions over a number of ranks, each made when first asked for. One thread at a time. */
public final class Reductions {
    private final Reduction[] made = new Reduction[DataType.values().length * ReduceOp.CODES];
    private final int nRanks;

    /**
     * None yet.
     *
     * @param nRanks what {@link RedOp#AVG} divides by; at least 1
     */
    public Reductions(int nRanks) {
        this.nRanks = nRanks;
    }

    /**
     * How inputs are combined that are {@linkplain Reduction#isScaling multiplied} already.
     *
     * @param op as ranks were asked for it
     * @return the operator itself, if it multiplies nothing
     */
    public static ReduceOp scaled(ReduceOp op) {
        return op instanceof PreMulSum ? op.proxied() : op;
    }

    /**
     * The reduction for a type and an operator.
     *
     * @param type of the elements
     * @param op   how to combine them
     * @return the same for the same arguments
     */
    public Reduction get(DataType type, ReduceOp op) {
        int index = type.ordinal() * ReduceOp.CODES + op.code();
        if (made[index] == null) {
            made[index] = Reduction.of(type, op, nRanks);
        }
        return made[index];
    }
}
