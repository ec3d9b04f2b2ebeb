/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.List;
import java.util.Map;

/**
 * What a cost model is told about a communicator and a function.
 *
 * @param function one of {@link #FUNCTIONS}
 * @param ranks    of the communicator
 * @param nodes    of the communicator, up to the number of ranks
 * @param cpu      of the hosts
 * @param graphs   of the algorithms that are possible; one that has none is not
 */
public record TuningInput(CollFunction function, int ranks, int nodes, CpuVendor cpu,
        Map<NcclAlgorithm, GraphValues> graphs) {
    /** The functions that have a choice, in the order of NCCL. */
    public static final List<CollFunction> FUNCTIONS = List.of(CollFunction.BROADCAST, CollFunction.REDUCE,
            CollFunction.ALL_GATHER, CollFunction.REDUCE_SCATTER, CollFunction.ALL_REDUCE);

    /**
     * Checks and copies the values.
     *
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the function has no choice, or there are no ranks,
     *                        no nodes, or more nodes than ranks
     */
    public TuningInput {
        if (!FUNCTIONS.contains(function)) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, function + " has no choice of algorithms; "
                    + FUNCTIONS + " have");
        }
        if (nodes < 1 || ranks < nodes) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, ranks + " ranks on " + nodes
                    + " nodes; must be 1 node or more, and 1 rank or more on each");
        }
        graphs = Map.copyOf(graphs);
    }

    /**
     * Steps of a ring: {@code ncclTuningGetNsteps}.
     *
     * @return at least 0
     */
    public int ringSteps() {
        return switch (function) {
            case ALL_REDUCE -> 2 * (ranks - 1);
            case ALL_GATHER, REDUCE_SCATTER -> ranks - 1;
            default -> ranks;
        };
    }

    /**
     * Ranks of a node, where all have as many.
     *
     * @return at least 1
     */
    public int ranksPerNode() {
        return ranks / nodes;
    }

    /**
     * Whether each node has one rank.
     *
     * @return also where there is one rank only
     */
    public boolean isOneRankPerNode() {
        return ranks == nodes;
    }

    /**
     * Whether all ranks get all of the result of a reduction.
     *
     * @return true for all-reduce
     */
    public boolean isReducedEverywhere() {
        return function == CollFunction.ALL_REDUCE;
    }

    /**
     * Whether each rank has a part of the larger buffer.
     *
     * @return true for all-gather and reduce-scatter
     */
    public boolean isInParts() {
        return function == CollFunction.ALL_GATHER || function == CollFunction.REDUCE_SCATTER;
    }
}
