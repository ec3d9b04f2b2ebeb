/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.collectives.Communicator;

/** Fills the buffers of one rank before a call, and looks at every element, and around them, after it. */
final class DataCheck {
    /** Every check begins elsewhere in the pattern, so that what an earlier one left behind is wrong. */
    private static final int PHASE_STEP = 1009;

    private final Collective collective;
    private final DataPattern pattern;
    private final Variant variant;
    private final int rank;
    private final int nRanks;
    private long phase;

    DataCheck(Collective collective, Variant variant, Communicator comm) {
        this.collective = collective;
        this.variant = variant;
        this.rank = comm.rank();
        this.nRanks = comm.nRanks();
        this.pattern = new DataPattern(variant.type(), variant.op(), nRanks);
    }

    /** Poisons the output, and fills the input. */
    void prepare(Placement placement) {
        phase += PHASE_STEP;
        placement.output().poison(0, placement.outputRegionBytes());
        if (collective.isReadAt(rank, variant.root())) {
            placement.send().fill(placement.send(0), pattern.input(rank), phase);
        }
    }

    /** Counts elements that are wrong, and guard words that were touched. */
    long countWrong(Placement placement) {
        GuardedBuffer output = placement.output();
        int source = collective.isRooted() ? variant.root() : Math.floorMod(rank - 1, nRanks);
        long wrong = output.countTouched(0, placement.outputRegionBytes());
        for (DataPattern.Expected part : pattern.output(collective, placement.recv(0), rank, source, phase,
                placement.shape().paramCount())) {
            wrong += output.countWrong(part);
        }
        return wrong;
    }
}
