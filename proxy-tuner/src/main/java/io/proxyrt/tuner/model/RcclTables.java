/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner.model;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.tuner.NcclAlgorithm;
import io.proxyrt.tuner.TunerConstants.Link;
import io.proxyrt.tuner.TuningInput;
import io.proxyrt.tuner.Way;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code rccl-0.table} to {@code rccl-7.table}. */
final class RcclTables {
    static final int MODELS = 8;
    private static final int CORRECTIONS = 27;
    private static final int PROTOCOLS = Protocol.values().length;
    /** NVLS is NVIDIA's. */
    private static final List<NcclAlgorithm> ALGORITHMS = List.of(NcclAlgorithm.TREE, NcclAlgorithm.RING,
            NcclAlgorithm.COLLNET_DIRECT, NcclAlgorithm.COLLNET_CHAIN, NcclAlgorithm.PAT);

    private final Map<Link, Map<NcclAlgorithm, double[]>> latencies = new EnumMap<>(Link.class);
    private final Map<NcclAlgorithm, double[]> ratiosOfTwo;
    private final Map<NcclAlgorithm, double[]> ratiosOfMore;
    private final Map<Way, double[]> corrections = new HashMap<>();
    private final Map<CollFunction, Map<Protocol, RcclRange>> ranges = new EnumMap<>(CollFunction.class);
    private final Map<CollFunction, List<double[]>> channels = new EnumMap<>(CollFunction.class);

    private RcclTables(TableFile file) {
        for (Link link : Link.values()) {
            latencies.put(link, rows(file, "latency." + NcclTables.label(link) + "."));
        }
        ratiosOfTwo = rows(file, "ratio.two.");
        ratiosOfMore = rows(file, "ratio.more.");
        for (NcclAlgorithm algorithm : List.of(NcclAlgorithm.TREE, NcclAlgorithm.RING)) {
            for (Protocol protocol : Protocol.values()) {
                corrections.put(new Way(algorithm, protocol), file.numbers("correction." + algorithm.label() + "."
                        + NcclTables.label(protocol), CORRECTIONS));
            }
        }
        for (CollFunction function : TuningInput.FUNCTIONS) {
            ranges.put(function, ranges(file, "range." + NcclTables.label(function) + "."));
            channels.put(function, file.triples("channels." + NcclTables.label(function)));
        }
        file.requireAllRead();
    }

    /** Reads the tables of a number, which are small. */
    static RcclTables load(int number) {
        if (number < 0 || number >= MODELS) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "RCCL has no tuning model " + number
                    + "; it has 0 to " + (MODELS - 1));
        }
        return new RcclTables(TableFile.load("rccl-" + number + ".table"));
    }

    private static Map<NcclAlgorithm, double[]> rows(TableFile file, String prefix) {
        Map<NcclAlgorithm, double[]> rows = new EnumMap<>(NcclAlgorithm.class);
        ALGORITHMS.forEach(algorithm -> rows.put(algorithm, file.numbers(prefix + algorithm.label(), PROTOCOLS)));
        return rows;
    }

    private static Map<Protocol, RcclRange> ranges(TableFile file, String prefix) {
        Map<Protocol, RcclRange> found = new EnumMap<>(Protocol.class);
        for (Protocol protocol : List.of(Protocol.LL, Protocol.LL128)) {
            file.find(prefix + NcclTables.label(protocol), RcclRange.NUMBERS)
                    .ifPresent(numbers -> found.put(protocol, RcclRange.of(numbers)));
        }
        return found;
    }

    double latency(Link link, Way way) {
        return latencies.get(link).get(way.algorithm())[way.protocol().ordinal()];
    }

    double ratio(int nodes, Way way) {
        return (nodes <= 2 ? ratiosOfTwo : ratiosOfMore).get(way.algorithm())[way.protocol().ordinal()];
    }

    double correction(Way way, int sizeClass) {
        return corrections.get(way)[Math.clamp(sizeClass, 0, CORRECTIONS - 1)];
    }

    Optional<RcclRange> range(CollFunction function, Protocol protocol) {
        return Optional.ofNullable(ranges.get(function).get(protocol));
    }

    Optional<Integer> channels(CollFunction function, long bytesOfRank) {
        return channels.get(function).stream().filter(row -> bytesOfRank > row[0] && bytesOfRank <= row[1]).findFirst()
                .map(row -> (int) row[2]);
    }
}
