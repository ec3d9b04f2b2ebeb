/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.Allowed;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.collectives.TuningTable;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceMemory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One rank's part in measuring algorithms: rounds of which each goes once through all functions, sizes and algorithms,
 * so that what disturbs the machine for a while disturbs all of them. All ranks do the same number of rounds, and of
 * calls in each, for they agree on the time.
 */
final class TuneRank implements AutoCloseable {
    private static final List<CollFunction> FUNCTIONS = List.of(CollFunction.ALL_REDUCE, CollFunction.ALL_GATHER,
            CollFunction.REDUCE_SCATTER, CollFunction.BROADCAST, CollFunction.REDUCE);
    private static final List<Algorithm> ALGORITHMS = List.of(Algorithm.RING, Algorithm.DOUBLING, Algorithm.PAT,
            Algorithm.TREE);
    private static final DataType TYPE = DataType.FLOAT32;
    private static final long MIN_BYTES = 8;
    private static final long MAX_BYTES = 16 << 20;
    private static final int FACTOR = 4;
    /** Of the time, for the JVM's compilers: what was measured until then does not count. */
    private static final double WARMUP = 0.3;
    /** What a change has to save is more where times differ more from round to round. */
    private static final double CHANGE_OF_NOISE = 2;

    private final Communicator comm;
    private final TunePlan plan;
    private final ControlChannel control;
    private final DeviceMemory send;
    private final DeviceMemory recv;
    private final List<TuneTrial> trials = new ArrayList<>();

    TuneRank(Communicator comm, TunePlan plan) {
        this.comm = comm;
        this.plan = plan;
        this.control = new ControlChannel(comm);
        this.send = comm.allocate(MAX_BYTES);
        this.recv = comm.allocate(MAX_BYTES);
    }

    /** Measures, and chooses; the same at all ranks. */
    List<TuningTable> run() {
        collect();
        long startNs = System.nanoTime();
        go(startNs, WARMUP * plan.duration().toNanos());
        trials.forEach(TuneTrial::restart);
        go(startNs, plan.duration().toNanos());
        double change = Math.max(CHANGE_OF_NOISE * noise(), TuningTable.CHANGE);
        return FUNCTIONS.stream().map(function -> TuningTable.of(plan.transport(), function, comm.nRanks(),
                timesUs(function), change)).toList();
    }

    /** How much times differ from round to round, of a time; 0 on a quiet machine. */
    double noise() {
        double[] all = trials.stream().mapToDouble(TuneTrial::noise).sorted().toArray();
        return all[all.length / 2];
    }

    /** One round at least. */
    private void go(long startNs, double untilNs) {
        double spentNs = 0;
        for (int round = 0; round == 0 || spentNs < untilNs; round++) {
            for (TuneTrial trial : trials) {
                if (trial.isDue(round)) {
                    measure(trial);
                }
            }
            spentNs = control.reduce(System.nanoTime() - startNs, RedOp.MAX);
        }
    }

    /** What can be carried out: of an algorithm that is not for a size, another would be measured. */
    private void collect() {
        for (CollFunction function : FUNCTIONS) {
            Collective collective = Collective.valueOf(function.name());
            long most = collective.isDivided() ? MAX_BYTES / comm.nRanks() : MAX_BYTES;
            for (long bytes = MIN_BYTES; bytes <= most; bytes *= FACTOR) {
                for (Algorithm algorithm : ALGORITHMS) {
                    comm.algorithms(Allowed.only(algorithm));
                    if (comm.algorithm(function, bytes) == algorithm) {
                        trials.add(new TuneTrial(collective, function, bytes, algorithm));
                    }
                }
            }
        }
    }

    private void measure(TuneTrial trial) {
        Collective.Call call = new Collective.Call(trial.bytes() / TYPE.sizeBytes(), TYPE, PerfOp.SUM, 0);
        int calls = trial.calls();
        comm.algorithms(Allowed.only(trial.algorithm()));
        control.barrier();
        long start = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            trial.collective().launch(comm, call, send.segment(), recv.segment());
        }
        comm.synchronize();
        // The same at all ranks to the last bit, as a sum may not be.
        trial.took(control.reduce((double) (System.nanoTime() - start) / calls, RedOp.MAX));
    }

    private Map<Algorithm, Map<Long, Double>> timesUs(CollFunction function) {
        Map<Algorithm, Map<Long, Double>> times = new EnumMap<>(Algorithm.class);
        trials.stream().filter(trial -> trial.function() == function).forEach(trial ->
                times.computeIfAbsent(trial.algorithm(), any -> new TreeMap<>()).put(trial.bytes(), trial.us()));
        return times;
    }

    @Override
    public void close() {
        recv.close();
        send.close();
        control.close();
    }
}
