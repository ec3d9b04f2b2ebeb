/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives.kernel;

import io.proxyrt.core.ReduceOp;
import io.proxyrt.core.reduction.Reduction;
import io.proxyrt.core.reduction.Reductions;
import java.lang.foreign.MemorySegment;

/**
 * How kernels other than rings' reduce: each rank multiplies its own input, if the op says so, and from there on inputs
 * are only combined.
 */
final class StepReduction {
    private final Reductions reductions;
    private ReduceOp op;
    /** Null if nothing is reduced. */
    private Reduction combining;
    /** Null if nothing is multiplied. */
    private Reduction scaling;

    /** With reductions that kernels share which take turns. */
    StepReduction(Reductions reductions) {
        this.reductions = reductions;
    }

    /** Sets it up for a launch; the launching thread. */
    void prepare(CollectiveWork work) {
        op = work.op();
        Reduction asked = op == null ? null : reductions.get(work.type(), op);
        combining = asked == null ? null : reductions.get(work.type(), Reductions.scaled(op));
        scaling = asked != null && asked.isScaling() ? asked : null;
    }

    /** Once the launch has its turn. */
    void begin() {
        if (combining != null) {
            combining.begin(Reductions.scaled(op));
        }
        if (scaling != null) {
            scaling.begin(op);
        }
    }

    /** Of inputs that are multiplied, if they are to be. */
    Reduction combining() {
        return combining;
    }

    /** Whether this rank's input is to be multiplied. */
    boolean isScaling() {
        return scaling != null;
    }

    /** Multiplies so many elements. */
    void scale(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long count) {
        scaling.scale(from, fromOffset, to, toOffset, count);
    }
}
