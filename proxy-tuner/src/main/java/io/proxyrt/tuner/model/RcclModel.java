/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.tuner.CollInfo;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TunerConstants;
import io.proxyrt.tuner.TuningFilter;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.List;
import java.util.Optional;

/** RCCL's model of AMD's GPUs. */
final class RcclModel extends CostModel {
    /** Collectives of a group that go together: 128 bytes hold one of them. */
    private static final int BATCH = 1;
    /** LL128's range of all-reduces on more than two nodes. */
    private static final double MANY_NODES = 3.8;

    private final RcclArchitecture rules;
    private final RcclTables tables;

    private RcclModel(RcclArchitecture rules, RcclTables tables) {
        super(rules.name());
        this.rules = rules;
        this.tables = tables;
    }

    /** Of {@code gfx942} and its like; empty for what is not in the table. */
    static Optional<CostModel> find(String architecture) {
        return RcclArchitecture.find(architecture).map(rules -> new RcclModel(rules, RcclTables.load(rules.model())));
    }

    static CostModel of(String architecture, int number) {
        RcclArchitecture rules = RcclArchitecture.find(architecture).orElseThrow(() -> new ProxyException(
                ProxyResult.INVALID_ARGUMENT, "RCCL has no architecture '" + architecture + "'; it has "
                + String.join(", ", names())));
        return new RcclModel(rules, RcclTables.load(number));
    }

    static List<String> names() {
        return RcclArchitecture.names();
    }

    @Override
    public TunerConstants constants() {
        return NcclTables.get().constants();
    }

    @Override
    public CostModel with(TunerConstants changed) {
        return this;
    }

    @Override
    public long bufferBytes(Protocol protocol) {
        return rules.bufferBytes(protocol);
    }

    @Override
    public CostTable predict(TuningInput input, TuningFilter filter) {
        RcclCosts costs = new RcclCosts(input, rules, tables);
        return new CostTable(CostTable.collect(costs::of), (way, cost, bytes) ->
                cost.scaledBy(correction(input, way, CostTable.sizeClass(bytes))), input.ranks(), BATCH);
    }

    private double correction(TuningInput input, Way way, int sizeClass) {
        boolean isCorrected = way.algorithm() == NcclAlgorithm.TREE
                || way.algorithm() == NcclAlgorithm.RING && input.nodes() > 1;
        return isCorrected ? tables.correction(way, sizeClass) : 1;
    }

    /** Only rings and trees have protocols to choose from. */
    @Override
    Way override(TuningInput input, CollInfo call, Way fastest) {
        if (fastest.algorithm() != NcclAlgorithm.RING && fastest.algorithm() != NcclAlgorithm.TREE) {
            return fastest;
        }
        long bytes = bytesOfRank(input, call.bytes());
        if (input.nodes() > 1) {
            return new Way(fastest.algorithm(), ofRanges(input, bytes).orElse(fastest.protocol()));
        }
        if (input.graphs().containsKey(NcclAlgorithm.TREE) && rules.wantsTree(input.function(), bytes)) {
            return new Way(NcclAlgorithm.TREE, Protocol.LL);
        }
        return new Way(fastest.algorithm(), rules.protocol(input.function(), bytes).orElse(fastest.protocol()));
    }

    private Optional<Protocol> ofRanges(TuningInput input, long bytes) {
        Optional<RcclRange> ll = tables.range(input.function(), Protocol.LL);
        Optional<RcclRange> ll128 = tables.range(input.function(), Protocol.LL128);
        if (ll.isEmpty() && ll128.isEmpty()) {
            return Optional.empty();
        }
        double grown = !input.isReducedEverywhere() || input.nodes() <= 2 ? 1 : MANY_NODES;
        return Optional.of(rules.hasLl128() && ll128.filter(range -> range.has(bytes, grown)).isPresent()
                ? Protocol.LL128 : ll.filter(range -> range.has(bytes, 1)).isPresent() ? Protocol.LL : Protocol.SIMPLE);
    }

    /** What RCCL goes by: a rank's part, of an all-reduce the whole. */
    private static long bytesOfRank(TuningInput input, long bytes) {
        return input.isReducedEverywhere() ? bytes : bytes / input.ranks();
    }

    @Override
    LaunchSize launch(TuningInput input, CollInfo call, Way way) {
        LaunchSize all = new LaunchSize(Math.min(input.graphs().get(way.algorithm()).channels(),
                rules.maxChannels(input.nodes())), rules.threads(way.protocol()));
        double bytesOfThread = bytesOfThread(input, way);
        LaunchSize size = way.algorithm() == NcclAlgorithm.COLLNET_DIRECT
                ? all.fewerChannelsForHeads(call.bytes(), input.ranksPerNode(), bytesOfThread)
                : all.fewerChannels(call.bytes(), bytesOfThread);
        return input.nodes() == 1 ? size : tables.channels(input.function(),
                Math.ceilDiv(call.bytes(), input.ranks())).filter(channels -> channels <= all.channels())
                .map(size::withChannels).orElse(size);
    }

    private double bytesOfThread(TuningInput input, Way way) {
        if (input.nodes() > 1 && input.isInParts() && way.protocol() != Protocol.SIMPLE) {
            Optional<RcclRange> range = tables.range(input.function(), way.protocol());
            if (range.isPresent()) {
                return range.get().bytesOfThread() * input.ranks();
            }
        }
        return rules.bytesOfThread(way, input.ranks());
    }
}
