/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.CpuVendor;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.TunerConstants.Generation;
import io.proxyrt.tuner.TunerConstants.Limit;
import io.proxyrt.tuner.TunerConstants.Link;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.Optional;

/**
 * The arithmetic of NCCL 2.31: {@code ring.cc}, {@code tree.cc}, {@code pat.cc}, {@code collnet.cc} and {@code nvls.cc}
 * of {@code src/tuning}.
 */
final class NcclCosts {
    private final TuningInput input;
    private final TunerConstants constants;
    private final NcclTables tables;
    private final int computeCapability;
    private final Generation generation;

    NcclCosts(TuningInput input, TunerConstants constants, NcclTables tables, int computeCapability) {
        this.input = input;
        this.constants = constants;
        this.tables = tables;
        this.computeCapability = computeCapability;
        this.generation = NcclModel.generation(computeCapability);
    }

    /** Of an algorithm that has a graph; empty if it does not have the function or the protocol. */
    Optional<Cost> of(Way way) {
        GraphValues graph = input.graphs().get(way.algorithm());
        boolean isSimple = way.protocol() == Protocol.SIMPLE;
        boolean isAllReduce = input.isReducedEverywhere();
        return switch (way.algorithm()) {
            case RING -> when(true, way, graph);
            case TREE -> when(isAllReduce, way, graph);
            case COLLNET_DIRECT -> when(isSimple && (isAllReduce || input.isInParts()), way, graph);
            case COLLNET_CHAIN -> when(isSimple && isAllReduce, way, graph);
            case NVLS -> when(isSimple && (isAllReduce || input.isInParts()) && graph.channels() > 1, way, graph);
            case NVLS_TREE -> when(isSimple && isAllReduce && graph.channels() > 1 && input.nodes() > 1, way, graph);
            case PAT -> when(isSimple && input.isInParts() && input.isOneRankPerNode(), way, graph);
        };
    }

    private Optional<Cost> when(boolean isPossible, Way way, GraphValues graph) {
        return isPossible ? Optional.of(new Cost(latency(way, graph), bandwidth(way, graph))) : Optional.empty();
    }

    private double bandwidth(Way way, GraphValues graph) {
        return switch (way.algorithm()) {
            case RING -> ringBandwidth(way.protocol(), graph);
            case TREE -> treeBandwidth(way.protocol(), graph);
            case COLLNET_DIRECT, COLLNET_CHAIN -> collNetBandwidth(graph);
            case NVLS, NVLS_TREE -> nvlsBandwidth(way.algorithm(), graph);
            case PAT -> 0.75 * graph.channels() * Math.min(graph.bwIntra(), graph.bwInter());
        };
    }

    private double latency(Way way, GraphValues graph) {
        double intra = intraLatency(way, graph);
        double inter = withGraph(way, graph, input.nodes() == 1 ? intra : constants.stepLatency(Link.NET, way));
        int others = input.ranksPerNode() - 1;
        double steps = switch (way.algorithm()) {
            case RING -> ringLatency(way, graph);
            case TREE -> 2 * (others * intra + log2(input.nodes()) * inter);
            // 0.4 µs for each that one of them hears of.
            case COLLNET_DIRECT -> 2 * (Math.min(1, others) * intra + others * 0.4) + inter;
            case COLLNET_CHAIN -> 2 * others * intra + inter;
            case NVLS -> intra + (input.nodes() > 1 ? inter : 0);
            case NVLS_TREE -> intra + 2 * log2(input.nodes()) * inter;
            case PAT -> log2(input.nodes()) * patInter(way, graph) / 3.5 + 2.8 * input.ranks();
        };
        return way.algorithm() == NcclAlgorithm.NVLS ? steps : constants.baseLatency(way) + steps;
    }

    /** Here the network's latency counts once. */
    private double patInter(Way way, GraphValues graph) {
        return constants.stepLatency(input.nodes() == 1 ? link(graph) : Link.NET, way) + graph.latencyInter();
    }

    private double ringBandwidth(Protocol protocol, GraphValues graph) {
        boolean isIntra = input.nodes() == 1 || input.nodes() == 2 && computeCapability < 100;
        double bus = graph.channels() * (isIntra ? graph.bwIntra() : graph.bwInter());
        double limited = switch (protocol) {
            case LL -> Math.min(llMax(), bus * 0.5);
            case LL128 -> Math.min(bus * 0.92, graph.channels() * limit(Limit.RING_LL128));
            case SIMPLE -> bus;
        };
        return input.ringSteps() == 0 ? limited : limited * input.ranks() / input.ringSteps();
    }

    private double ringLatency(Way way, GraphValues graph) {
        if (!input.isInParts() && !input.isReducedEverywhere()) {
            return rootedLatency(way, graph);
        }
        double intra = intraLatency(way, graph);
        double inter = withGraph(way, graph, input.nodes() == 1 ? intra : constants.stepLatency(Link.NET,
                input.isOneRankPerNode() ? new Way(NcclAlgorithm.TREE, way.protocol()) : way));
        int interSteps = ringSteps(input.function(), input.nodes());
        return (input.ringSteps() - interSteps) * Math.max(intra, netOverheadUs(input, way.protocol()))
                + interSteps * inter;
    }

    /** Steps of a ring between nodes, of what is no broadcast and no reduction. */
    static int ringSteps(CollFunction function, int nodes) {
        return (function == CollFunction.ALL_REDUCE ? 2 : 1) * (nodes - 1);
    }

    /** A broadcast's or a reduction's. */
    private double rootedLatency(Way way, GraphValues graph) {
        Link link = input.nodes() == 1 ? link(graph) : Link.NET;
        if (graph.sameChannels()) {
            return constants.stepLatency(link, way);
        }
        return input.ringSteps() * constants.stepLatency(link, way.protocol() == Protocol.SIMPLE
                ? new Way(NcclAlgorithm.TREE, Protocol.SIMPLE) : way);
    }

    /** Rings between nodes post to a network in every step. */
    static double netOverheadUs(TuningInput input, Protocol protocol) {
        if (input.nodes() == 1) {
            return 0;
        }
        return (input.cpu() == CpuVendor.AMD ? 2 : 1) * (protocol == Protocol.SIMPLE ? 3 : 1);
    }

    private double treeBandwidth(Protocol protocol, GraphValues graph) {
        double bw = computeCapability >= 100 ? Math.min(graph.bwIntra(), graph.bwInter())
                : input.nodes() <= 2 ? graph.bwIntra() : graph.bwInter();
        double bus = Math.min(graph.channels() * bw * 0.92, graph.channels() * limit(Limit.TREE));
        double limited = switch (protocol) {
            case LL -> Math.min(bus / 3.8, llMax());
            case LL128 -> Math.min(bus * (input.nodes() == 1 ? 7.0 / 9 : 120.0 / 128),
                    graph.channels() * limit(Limit.TREE_LL128));
            case SIMPLE -> bus;
        };
        return limited * (graph.isPlainTree() ? 0.85 : 1) * 0.5;
    }

    /** What NCCL computes where the network has all three functions, and every rank an adapter. */
    private double collNetBandwidth(GraphValues graph) {
        double perNode = (double) input.ranks() / input.nodes();
        double bus = perNode * Math.min(graph.bwIntra(), graph.bwInter() * 0.9);
        double ratio = perNode / graph.channels();
        return 0.5 * (input.isInParts() ? bus : bus / (ratio - (ratio - 1) / 2));
    }

    private double nvlsBandwidth(NcclAlgorithm algorithm, GraphValues graph) {
        boolean isTree = algorithm == NcclAlgorithm.NVLS_TREE;
        double perNode = input.ranksPerNode();
        double intra = graph.bwIntra() * tables.nvlsEfficiency(generation) * (graph.channels() - 1) / graph.channels()
                * (input.isInParts() ? (perNode - 1) / perNode : 2);
        double inter = graph.bwInter() * (isTree && input.nodes() <= 2 ? 2 : 1);
        double bw = Math.min(Math.min(intra, inter), isTree ? limit(Limit.NVLS_TREE) : Double.MAX_VALUE);
        return bw * graph.channels() * (input.isInParts() ? 1 : (double) input.ranks() / input.ringSteps());
    }

    private double intraLatency(Way way, GraphValues graph) {
        return constants.stepLatency(link(graph), way);
    }

    private static Link link(GraphValues graph) {
        return graph.typeIntra() == PathType.NVL ? Link.NVLINK : Link.PCI;
    }

    /** With what the network adds; for Simple a second time, for the flush. */
    private static double withGraph(Way way, GraphValues graph, double latency) {
        return latency + graph.latencyInter() * (way.protocol() == Protocol.SIMPLE ? 2 : 1);
    }

    private double limit(Limit limit) {
        return constants.bandwidth(limit, generation, input.nodes());
    }

    /** On one node by the GPUs, on several by the CPUs. */
    private double llMax() {
        Generation row = input.nodes() == 1 ? generation
                : input.cpu() == CpuVendor.AMD || input.cpu() == CpuVendor.MIXED ? Generation.AMPERE : Generation.VOLTA;
        return constants.bandwidth(Limit.LL, row, input.nodes());
    }

    static int log2(int value) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value);
    }
}
