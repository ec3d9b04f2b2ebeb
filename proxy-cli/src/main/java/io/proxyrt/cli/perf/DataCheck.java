/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.cli.perf.PerfPlan.Variant;
import io.proxyrt.collectives.Communicator;
import java.lang.foreign.MemorySegment;

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
        if (!collective.isRooted() || rank == variant.root()) {
            pattern.input(rank).fill(placement.send(rank, 0), phase);
        }
    }

    /** Counts elements that are wrong, and guard words that were touched. */
    long countWrong(Placement placement) {
        long wrong = placement.output().countTouched(0, placement.outputRegionBytes());
        MemorySegment actual = placement.recv(rank, 0);
        return wrong + switch (collective) {
            case ALL_REDUCE -> pattern.reduced().countWrong(actual, phase);
            case REDUCE_SCATTER -> pattern.reduced().countWrong(actual,
                    phase + rank * placement.shape().recvCount());
            case BROADCAST -> pattern.input(variant.root()).countWrong(actual, phase);
            case SENDRECV -> pattern.input(Math.floorMod(rank - 1, nRanks)).countWrong(actual, phase);
            case ALL_GATHER -> countWrongParts(actual);
        };
    }

    private long countWrongParts(MemorySegment actual) {
        long wrong = 0;
        long part = actual.byteSize() / nRanks;
        for (int i = 0; i < nRanks; i++) {
            wrong += pattern.input(i).countWrong(actual.asSlice(i * part, part), phase);
        }
        return wrong;
    }
}
