/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.cli.tuning;

import io.proxyrt.core.CollFunction;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TuningInput;
import java.util.EnumMap;
import java.util.Map;

/**
 * What is assumed of the machines of GPUs that are not here.
 *
 * @param cpu      of the hosts
 * @param channels of every algorithm
 * @param bwIntra  of a channel within a node, GB/s
 * @param bwInter  of a channel between nodes, GB/s
 */
public record Machine(CpuVendor cpu, int channels, double bwIntra, double bwInter) {
    /** What an architecture's larger machines have, where the user says nothing: links of GPUs, an adapter for each. */
    private static final Map<String, Machine> USUAL = Map.of(
            "sm7", new Machine(CpuVendor.INTEL, 6, 20, 8),
            "sm8", new Machine(CpuVendor.AMD, 12, 20, 16),
            "sm9", new Machine(CpuVendor.INTEL, 12, 30, 30),
            "sm1", new Machine(CpuVendor.INTEL, 16, 40, 24),
            "gfx90a", new Machine(CpuVendor.AMD, 16, 18, 12),
            "gfx942", new Machine(CpuVendor.AMD, 32, 10.5, 12),
            "gfx950", new Machine(CpuVendor.AMD, 32, 10.5, 12));
    private static final Machine OTHER = new Machine(CpuVendor.AMD, 4, 12, 6);

    /**
     * What is assumed if the user says nothing.
     *
     * @param architecture of the GPUs
     * @return something of the right size
     */
    public static Machine usual(String architecture) {
        return USUAL.entrySet().stream().filter(entry -> architecture.startsWith(entry.getKey()))
                .map(Map.Entry::getValue).findFirst().orElse(OTHER);
    }

    /**
     * A communicator on such machines: rings, trees, and PAT where each node has one rank.
     *
     * @param function that is called
     * @param ranks    of it
     * @param nodes    of it
     * @return all algorithms with the same values
     */
    public TuningInput input(CollFunction function, int ranks, int nodes) {
        GraphValues graph = new GraphValues(channels, bwIntra, bwInter, PathType.NVL,
                nodes == 1 ? PathType.LOC : PathType.PXB, 0, true, false);
        Map<NcclAlgorithm, GraphValues> graphs = new EnumMap<>(NcclAlgorithm.class);
        graphs.put(NcclAlgorithm.RING, graph);
        graphs.put(NcclAlgorithm.TREE, graph);
        if (nodes > 1) {
            graphs.put(NcclAlgorithm.PAT, graph);
        }
        return new TuningInput(function, ranks, nodes, cpu, graphs);
    }

    /**
     * For people.
     *
     * @return one line
     */
    public String text() {
        return channels + (channels == 1 ? " channel of " : " channels of ") + number(bwIntra)
                + " GB/s within a node and " + number(bwInter) + " between nodes, " + cpu + " CPUs";
    }

    private static String number(double value) {
        return value == (long) value ? Long.toString((long) value) : Double.toString(value);
    }
}
