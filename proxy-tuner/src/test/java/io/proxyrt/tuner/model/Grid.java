/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TuningInput;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;

/** Communicators and sizes that the models are tried on. */
final class Grid {
    /** 64 bytes to 4 GiB, by doublings. */
    static final long[] SIZES = LongStream.range(0, 27).map(i -> 64L << i).toArray();
    /** Ranks and nodes. */
    private static final int[][] SHAPES = {{2, 1}, {3, 1}, {8, 1}, {2, 2}, {16, 2}, {3, 3}, {4, 4}, {32, 4}, {64, 8},
        {10, 4}};

    private static final Map<String, double[]> DOUBLES = new ConcurrentHashMap<>();

    private Grid() {
    }

    /** All functions on all shapes, near and far, with all CPUs. */
    static List<TuningInput> inputs() {
        List<TuningInput> inputs = new ArrayList<>();
        for (CollFunction function : TuningInput.FUNCTIONS) {
            for (int[] shape : SHAPES) {
                for (CpuVendor cpu : CpuVendor.values()) {
                    inputs.add(input(function, shape[0], shape[1], cpu, false));
                    inputs.add(input(function, shape[0], shape[1], cpu, true));
                }
            }
        }
        return inputs;
    }

    /** Each algorithm has other values, so that none can take another's. */
    static TuningInput input(CollFunction function, int ranks, int nodes, CpuVendor cpu, boolean isFar) {
        Map<NcclAlgorithm, GraphValues> graphs = new EnumMap<>(NcclAlgorithm.class);
        for (NcclAlgorithm algorithm : NcclAlgorithm.values()) {
            int i = algorithm.ordinal();
            graphs.put(algorithm, new GraphValues(2 + 3 * i, isFar ? 6 + i : 20 + i, isFar ? 5 + i : 12.5 + i,
                    isFar ? PathType.PHB : PathType.NVL,
                    nodes == 1 ? PathType.LOC : isFar ? PathType.SYS : PathType.PXB,
                    nodes == 1 ? 0 : 0.25 * i, !isFar, isFar));
        }
        return new TuningInput(function, ranks, nodes, cpu, graphs);
    }

    /** The same with rings and trees alone. */
    static TuningInput ringAndTree(TuningInput input) {
        Map<NcclAlgorithm, GraphValues> graphs = new EnumMap<>(input.graphs());
        graphs.keySet().retainAll(List.of(NcclAlgorithm.RING, NcclAlgorithm.TREE));
        return new TuningInput(input.function(), input.ranks(), input.nodes(), input.cpu(), graphs);
    }

    /** Not to be changed. */
    static double[] doubles(String numbers) {
        return DOUBLES.computeIfAbsent(numbers, text -> Arrays.stream(text.strip().split("[/ ]+"))
                .mapToDouble(Double::parseDouble).toArray());
    }
}
