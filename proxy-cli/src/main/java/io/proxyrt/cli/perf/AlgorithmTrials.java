/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.perf;

import io.proxyrt.collectives.Algorithm;
import io.proxyrt.collectives.Allowed;
import io.proxyrt.collectives.Communicator;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.DataType;
import io.proxyrt.core.RedOp;
import io.proxyrt.core.device.DeviceMemory;
import java.time.Duration;
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
final class AlgorithmTrials implements AutoCloseable {
    private static final DataType TYPE = DataType.FLOAT32;
    /** Of the time, for the JVM's compilers: what was measured until then does not count. */
    private static final double WARMUP = 0.3;
    /** Of a trial's calls, as many before them: the first find the caches full of what was measured before. */
    private static final double UNTIMED = 0.1;
    /** Of which a quartile says something, and how much they differ. */
    private static final int MIN_ROUNDS = 5;

    private final Communicator comm;
    private final ControlChannel control;
    private final DeviceMemory send;
    private final DeviceMemory recv;
    private final List<TuneTrial> trials = new ArrayList<>();

    /** For calls of so many bytes at most, the parts of all ranks together. */
    AlgorithmTrials(Communicator comm, long maxBytes) {
        this.comm = comm;
        this.control = new ControlChannel(comm);
        this.send = comm.allocate(maxBytes);
        this.recv = comm.allocate(maxBytes);
    }

    /** Adds the algorithms that can carry it out: of one that is not for a size, another would be measured. */
    void add(CollFunction function, long bytes, Iterable<Algorithm> algorithms) {
        for (Algorithm algorithm : algorithms) {
            comm.algorithms(Allowed.only(algorithm));
            if (comm.algorithm(function, bytes) == algorithm) {
                trials.add(new TuneTrial(Collective.valueOf(function.name()), function, bytes, algorithm));
            }
        }
    }

    /** Measures all for so long, but some rounds at least, the last to its end. */
    void run(Duration duration) {
        long startNs = System.nanoTime();
        go(startNs, WARMUP * duration.toNanos(), 1);
        trials.forEach(TuneTrial::restart);
        go(startNs, duration.toNanos(), MIN_ROUNDS);
    }

    private void go(long startNs, double untilNs, int minRounds) {
        double spentNs = 0;
        for (int round = 0; round < minRounds || spentNs < untilNs; round++) {
            for (TuneTrial trial : trials) {
                if (trial.isDue(round)) {
                    measure(trial);
                }
            }
            spentNs = control.reduce(System.nanoTime() - startNs, RedOp.MAX);
        }
    }

    private void measure(TuneTrial trial) {
        Collective.Call call = new Collective.Call(trial.bytes() / TYPE.sizeBytes(), TYPE, PerfOp.SUM, 0);
        int calls = trial.calls();
        comm.algorithms(Allowed.only(trial.algorithm()));
        launch(trial, call, (int) (calls * UNTIMED));
        control.barrier();
        long start = System.nanoTime();
        launch(trial, call, calls);
        // The same at all ranks to the last bit, as a sum may not be.
        trial.took(control.reduce((double) (System.nanoTime() - start) / calls, RedOp.MAX));
    }

    private void launch(TuneTrial trial, Collective.Call call, int calls) {
        for (int i = 0; i < calls; i++) {
            trial.collective().launch(comm, call, send.segment(), recv.segment());
        }
        comm.synchronize();
    }

    /** How much times differ from round to round, of a time; 0 on a quiet machine. */
    double noise() {
        double[] all = trials.stream().mapToDouble(TuneTrial::noise).sorted().toArray();
        return all[all.length / 2];
    }

    /** What was measured, µs by bytes, for each algorithm. */
    Map<Algorithm, Map<Long, Double>> timesUs(CollFunction function) {
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
