/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;

/** The reductions of one channel, each made when first asked for, by the launching thread. */
final class Reductions {
    private final Reduction[] made = new Reduction[DataType.values().length * RedOp.values().length];
    private final int nRanks;

    Reductions(int nRanks) {
        this.nRanks = nRanks;
    }

    Reduction get(DataType type, RedOp op) {
        int index = type.ordinal() * (RedOp.AVG.ordinal() + 1) + op.ordinal();
        if (made[index] == null) {
            made[index] = Reduction.of(type, op, nRanks);
        }
        return made[index];
    }
}
