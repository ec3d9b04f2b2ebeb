/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.Protocol;
import io.proxyrt.topology.PathType;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.GraphValues;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.TunerConstants.Generation;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** NCCL's model of NVIDIA's GPUs. */
final class NcclModel extends CostModel {
    static final List<String> EXAMPLES = List.of("sm70", "sm80", "sm90", "sm100");
    private static final Pattern NAME = Pattern.compile("sm([1-9][0-9]{1,2})");
    private static final int WARP = 32;
    private static final int MIN_WARPS = 3;
    /** From this size of a channel's part of a rank on, rings of several steps are slower than their latency says. */
    private static final long PLATEAU_BYTES = 64;

    private final int computeCapability;
    private final TunerConstants constants;
    private final NcclTables tables;

    private NcclModel(String architecture, int computeCapability, TunerConstants constants, NcclTables tables) {
        super(architecture);
        this.computeCapability = computeCapability;
        this.constants = constants;
        this.tables = tables;
    }

    /** Of {@code sm90} and its like; empty for all else. */
    static Optional<CostModel> find(String architecture) {
        Matcher matcher = NAME.matcher(architecture);
        NcclTables tables = NcclTables.get();
        return matcher.matches() ? Optional.of(new NcclModel(architecture, Integer.parseInt(matcher.group(1)),
                tables.constants(), tables)) : Optional.empty();
    }

    @Override
    public TunerConstants constants() {
        return constants;
    }

    @Override
    public CostModel with(TunerConstants changed) {
        return new NcclModel(architecture(), computeCapability, changed, tables);
    }

    @Override
    public long bufferBytes(Protocol protocol) {
        return tables.bufferBytes(protocol);
    }

    @Override
    public CostTable predict(TuningInput input, TuningFilter filter) {
        NcclCosts costs = new NcclCosts(input, constants, tables, computeCapability);
        return new CostTable(CostTable.collect(way -> isAvailable(input, way, filter) ? costs.of(way)
                : Optional.empty()), (way, cost, bytes) -> corrected(input, way, cost, bytes), input.ranks(),
                tables.batch());
    }

    private boolean isAvailable(TuningInput input, Way way, TuningFilter filter) {
        GraphValues graph = input.graphs().get(way.algorithm());
        return graph != null && (way.protocol() != Protocol.LL128 || filter.isAskedFor(Protocol.LL128)
                || isLl128Default(graph));
    }

    private boolean isLl128Default(GraphValues graph) {
        PathType farthest = computeCapability >= 90 ? PathType.PXN : PathType.PXB;
        return computeCapability >= 70 && graph.typeInter().compareTo(farthest) <= 0
                && graph.typeIntra().compareTo(PathType.NVB) <= 0;
    }

    private Cost corrected(TuningInput input, Way way, Cost cost, long bytes) {
        return switch (way.algorithm()) {
            case TREE -> cost.scaledBy(tables.treeCorrection(way.protocol(), CostTable.sizeClass(bytes)));
            case RING -> way.protocol() == Protocol.SIMPLE && hasPlateau(input)
                    && bytes / ((long) input.graphs().get(NcclAlgorithm.RING).channels() * input.ranks())
                    >= PLATEAU_BYTES ? cost.slowedBy(computeCapability < 80 ? 1.9 : 1.4) : cost;
            default -> cost;
        };
    }

    private boolean hasPlateau(TuningInput input) {
        return switch (input.function()) {
            case ALL_REDUCE -> input.nodes() > 1;
            case ALL_GATHER, REDUCE_SCATTER -> input.nodes() == 1 && computeCapability >= 100
                    && input.graphs().get(NcclAlgorithm.RING).typeIntra() == PathType.NVL;
            default -> false;
        };
    }

    @Override
    Way override(TuningInput input, CollInfo call, Way fastest) {
        return fastest;
    }

    @Override
    LaunchSize launch(TuningInput input, CollInfo call, Way way) {
        NcclAlgorithm algorithm = way.algorithm();
        double bytesOfThread = tables.bytesOfThread(way, input.ranks());
        LaunchSize all = new LaunchSize(input.graphs().get(algorithm).channels(), tables.maxThreads(way));
        LaunchSize size = switch (algorithm) {
            case NVLS, NVLS_TREE -> all;
            case COLLNET_DIRECT -> all.fewerChannelsForHeads(call.bytes(), input.ranksPerNode(), bytesOfThread);
            default -> all.fewerChannels(call.bytes(), bytesOfThread).fewerThreads(call.bytes(), bytesOfThread);
        };
        return size.withThreads(threads(way, size.threads()));
    }

    private int threads(Way way, int worth) {
        return switch (way.algorithm()) {
            case TREE, PAT -> tables.allThreads();
            case RING -> Math.max(worth + (way.protocol() == Protocol.SIMPLE ? WARP : 0), MIN_WARPS * WARP);
            default -> Math.max(worth, MIN_WARPS * WARP);
        };
    }

    /** Of a compute capability. */
    static Generation generation(int computeCapability) {
        return computeCapability >= 100 ? Generation.BLACKWELL : computeCapability >= 90 ? Generation.HOPPER
                : computeCapability >= 80 ? Generation.AMPERE : Generation.VOLTA;
    }
}
