/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.collectives.TuningTable;
import io.proxyrt.core.CollFunction;
import java.util.List;

/** One rank's part in measuring for a profile. */
final class TuneRank implements AutoCloseable {
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.ALL_REDUCE, CollFunction.ALL_GATHER,
            CollFunction.REDUCE_SCATTER, CollFunction.BROADCAST, CollFunction.REDUCE);
    private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.RING, Algorithm.DOUBLING, Algorithm.PAT,
            Algorithm.TREE);
    private static final long MIN_BYTES = 8;
    private static final long MAX_BYTES = 16 << 20;
    private static final int FACTOR = 4;
    /** What a change has to save is more where times differ more from round to round. */
    private static final double CHANGE_OF_NOISE = 2;

    private final Communicator comm;
    private final TunePlan plan;
    private final AlgorithmTrials trials;

    TuneRank(Communicator comm, TunePlan plan) {
        this.comm = comm;
        this.plan = plan;
        this.trials = new AlgorithmTrials(comm, MAX_BYTES);
    }

    /** Measures, and chooses; the same at all ranks. */
    List<TuningTable> run() {
        for (CollFunction function : FUNCTIONS) {
            long most = Collective.valueOf(function.name()).isDivided() ? MAX_BYTES / comm.nRanks() : MAX_BYTES;
            for (long bytes = MIN_BYTES; bytes <= most; bytes *= FACTOR) {
                trials.add(function, bytes, ALGORITHMS);
            }
        }
        trials.run(plan.duration());
        double change = Math.max(CHANGE_OF_NOISE * noise(), TuningTable.CHANGE);
        return FUNCTIONS.stream().map(function -> TuningTable.of(plan.transport(), function, comm.nRanks(),
                trials.timesUs(function), change)).toList();
    }

    /** How much times differ from round to round, of a time; 0 on a quiet machine. */
    double noise() {
        return trials.noise();
    }

    @Override
    public void close() {
        trials.close();
    }
}
