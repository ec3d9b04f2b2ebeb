/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TunerConstants.Link;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.Optional;

/** The arithmetic of RCCL: {@code src/graph/tuning.cc}. */
final class RcclCosts {
    /** What LL of a broadcast or a reduction gains on one node of MI300 or MI350. */
    private static final double ROOTED_LL_GAIN = 1.65;

    private final TuningInput input;
    private final RcclArchitecture rules;
    private final RcclTables tables;

    RcclCosts(TuningInput input, RcclArchitecture rules, RcclTables tables) {
        this.input = input;
        this.rules = rules;
        this.tables = tables;
    }

    /** Empty if the algorithm has no graph, or does not have the function or the protocol. */
    Optional<Cost> of(Way way) {
        GraphValues graph = input.graphs().get(way.algorithm());
        return graph != null && isPossible(way) && (way.protocol() != Protocol.LL128 || hasLl128(graph))
                ? Optional.of(new Cost(latency(way, graph), bandwidth(way, graph))) : Optional.empty();
    }

    private boolean isPossible(Way way) {
        boolean isSimple = way.protocol() == Protocol.SIMPLE;
        return switch (way.algorithm()) {
            case RING -> true;
            case TREE -> input.isReducedEverywhere() && !(isSimple && isOnOneCdna3());
            case COLLNET_DIRECT -> isSimple && (input.isReducedEverywhere() || input.isInParts());
            case COLLNET_CHAIN -> isSimple && input.isReducedEverywhere();
            case PAT -> isSimple && input.isInParts() && input.isOneRankPerNode();
            case NVLS, NVLS_TREE -> false;
        };
    }

    private boolean isOnOneCdna3() {
        return input.nodes() == 1 && rules.isCdna3();
    }

    private boolean hasLl128(GraphValues graph) {
        return rules.hasLl128() && graph.typeInter().compareTo(PathType.PXB) <= 0
                && graph.typeIntra().compareTo(PathType.NVL) <= 0;
    }

    private double bandwidth(Way way, GraphValues graph) {
        boolean isRing = way.algorithm() == NcclAlgorithm.RING;
        boolean isCollNet = way.algorithm() == NcclAlgorithm.COLLNET_DIRECT
                || way.algorithm() == NcclAlgorithm.COLLNET_CHAIN;
        double channel = input.nodes() <= 2 || isCollNet ? graph.bwIntra() : graph.bwInter();
        double bus = graph.channels() * channel * tables.ratio(input.nodes(), way);
        if (isRing && isRooted() && way.protocol() == Protocol.LL && isOnOneCdna3()) {
            bus *= ROOTED_LL_GAIN;
        }
        return isRing ? bus * input.ranks() / Math.max(1, input.ringSteps()) : input.isInParts() ? bus : bus * 0.5;
    }

    private boolean isRooted() {
        return input.function() == CollFunction.BROADCAST || input.function() == CollFunction.REDUCE;
    }

    private double latency(Way way, GraphValues graph) {
        double intra = tables.latency(link(graph), way);
        double inter = tables.latency(Link.NET, input.isOneRankPerNode()
                ? new Way(NcclAlgorithm.TREE, way.protocol()) : way)
                + graph.latencyInter() * (way.protocol() == Protocol.SIMPLE ? 2 : 1);
        int others = input.ranksPerNode() - 1;
        double base = rules.baseLatency(way.protocol());
        return switch (way.algorithm()) {
            case RING -> base + (isRooted() ? rootedLatency(way, graph) : ringLatency(way, intra, inter));
            case TREE -> base + 2 * (others * intra + NcclCosts.log2(input.nodes()) * inter);
            case COLLNET_DIRECT -> base + 2 * (Math.min(1, others) * intra + others * 0.4) + inter;
            case COLLNET_CHAIN -> base + 2 * others * intra + inter;
            case PAT -> 8 + NcclCosts.log2(input.nodes()) * inter / 3.5 + 2.8 * input.ranks();
            case NVLS, NVLS_TREE -> throw new IllegalStateException("RCCL has no " + way);
        };
    }

    private double ringLatency(Way way, double intra, double inter) {
        int interSteps = NcclCosts.ringSteps(input.function(), input.nodes());
        return (input.ringSteps() - interSteps) * Math.max(intra, NcclCosts.netOverheadUs(input, way.protocol()))
                + interSteps * inter;
    }

    private double rootedLatency(Way way, GraphValues graph) {
        Link link = input.nodes() == 1 ? link(graph) : Link.NET;
        if (graph.sameChannels()) {
            return tables.latency(link, way);
        }
        return input.ringSteps() * tables.latency(link, way.protocol() == Protocol.SIMPLE
                ? new Way(NcclAlgorithm.TREE, Protocol.SIMPLE) : way);
    }

    private static Link link(GraphValues graph) {
        return graph.typeIntra() == PathType.NVL ? Link.NVLINK : Link.PCI;
    }
}
