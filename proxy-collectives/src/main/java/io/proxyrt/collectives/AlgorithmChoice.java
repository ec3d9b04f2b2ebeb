/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.TuningTable.Range;
import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.ProxyConfig;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which algorithm ranks with kernels of the host carry a collective out by, where the network does not. By size, so
 * that all ranks choose alike: as the profile of the job says, or by limits. Immutable.
 */
final class AlgorithmChoice {
    /** The first whose limit is not exceeded is used; where there is none, rings, by which everything can go. */
    private static final List<Algorithm> BY_SIZE = List.of(Algorithm.DOUBLING, Algorithm.PAT, Algorithm.TREE);

    /** Ranks among which some are folded, at least. */
    private static final int FEWEST_FOLDED = 6;

    private final Allowed<Algorithm> allowed;
    private final TuningProfile profile;
    private final HostPath path;
    private final int nRanks;
    private final long slotBytes;
    private final long doublingBytes;
    private final long patBytes;
    private final long treeBytes;
    private final boolean canGoByNodes;
    /** From which size on an all-reduce goes by nodes that nothing else takes; MAX_VALUE if none does. */
    private final long leastByNodes;
    /** By function: up to which size, and what of {@link #ways}. */
    private final long[][] most = new long[CollFunction.values().length][];
    private final Algorithm[][] ways = new Algorithm[CollFunction.values().length][];

    /** For rings that are connected, if there is more than one rank, and what they all go by. */
    AlgorithmChoice(ProxyConfig config, TuningProfile profile, int nRanks, Ring[] rings, HostPath path,
            boolean canGoByNodes) {
        this(config, profile, rings.length == 0 ? 1 : nRanks,
                rings.length == 0 ? 0 : rings[0].stepBytes(Protocol.SIMPLE), path, canGoByNodes);
    }

    /** For ranks with slots of so many bytes. */
    AlgorithmChoice(ProxyConfig config, TuningProfile profile, int nRanks, long slotBytes, HostPath path,
            boolean canGoByNodes) {
        this.allowed = config.get(CollectivesOptions.ALGORITHM);
        this.profile = profile;
        this.path = path;
        this.nRanks = nRanks;
        this.slotBytes = slotBytes;
        this.doublingBytes = config.get(path == HostPath.SHM ? CollectivesOptions.DIRECT_DOUBLING_BYTES
                : CollectivesOptions.DOUBLING_BYTES);
        this.patBytes = config.get(CollectivesOptions.PAT_BYTES);
        this.treeBytes = config.get(CollectivesOptions.TREE_BYTES);
        this.canGoByNodes = canGoByNodes;
        this.leastByNodes = leastByNodes(config.get(CollectivesOptions.HIERARCHICAL_BYTES));
        for (CollFunction function : CollFunction.values()) {
            List<Range> ranges = ranges(function);
            most[function.ordinal()] = ranges.stream().mapToLong(Range::upToBytes).toArray();
            ways[function.ordinal()] = ranges.stream().map(Range::algorithm).toArray(Algorithm[]::new);
        }
    }

    /** How a collective goes. */
    Algorithm of(CollFunction function, long bytes) {
        long[] limits = most[function.ordinal()];
        for (int i = 0; i < limits.length; i++) {
            if (bytes > 0 && bytes <= limits[i]) {
                return ways[function.ordinal()][i];
            }
        }
        return function == CollFunction.ALL_REDUCE && bytes >= leastByNodes ? Algorithm.HIERARCHICAL : Algorithm.RING;
    }

    private long leastByNodes(long usual) {
        Set<Algorithm> choice = choice(CollFunction.ALL_REDUCE);
        return !choice.contains(Algorithm.HIERARCHICAL) ? Long.MAX_VALUE
                : !choice.contains(Algorithm.RING) ? 1 : usual < 0 ? Long.MAX_VALUE : usual;
    }

    /** From which size on an all-reduce goes by nodes; MAX_VALUE if none does. */
    long leastByNodes() {
        return leastByNodes;
    }

    /** What all-reduces go by, each followed by what larger ones do, for people. */
    String describe() {
        StringBuilder text = new StringBuilder();
        for (Range range : ranges(CollFunction.ALL_REDUCE)) {
            if (range.algorithm() != Algorithm.RING || range.upToBytes() != Long.MAX_VALUE) {
                text.append(LaunchPlanner.upTo(range.upToBytes(), switch (range.algorithm()) {
                    case DOUBLING -> "recursive doubling";
                    case TREE -> "trees";
                    default -> "a ring";
                }));
            }
        }
        return text.toString();
    }

    /** In the order in which they are tried; none that is never used. */
    private List<Range> ranges(CollFunction function) {
        List<Range> ranges = new ArrayList<>();
        List<Range> measured = measured(function);
        for (Range range : measured.isEmpty() ? usual(function) : measured) {
            long limit = Math.min(range.upToBytes(), limit(range.algorithm()));
            if (limit > 0) {
                ranges.add(new Range(limit, range.algorithm()));
            }
        }
        return ranges;
    }

    /**
     * As the profile says; what does not fit a slot goes as what is larger. None if the user has a say, or there are
     * nodes, which were not measured.
     */
    private List<Range> measured(CollFunction function) {
        boolean isFree = !canBe(function, Algorithm.HIERARCHICAL)
                && able(function).stream().allMatch(algorithm -> allowed.admits(function, algorithm));
        return !isFree || nRanks == 1 ? List.of() : profile.nearest(path.name(), function, nRanks)
                .map(table -> table.ranges().stream().filter(range -> canBe(function, range.algorithm())
                        && (range.algorithm() != Algorithm.DOUBLING || table.ranks() == nRanks || !isOdd())).toList())
                .orElse(List.of());
    }

    private List<Range> usual(CollFunction function) {
        Set<Algorithm> choice = choice(function);
        List<Algorithm> others = BY_SIZE.stream().filter(choice::contains).toList();
        boolean isLastForAll = !choice.contains(Algorithm.RING) && !choice.contains(Algorithm.HIERARCHICAL);
        return others.stream().map(algorithm -> new Range(isLastForAll && algorithm == others.getLast()
                ? Long.MAX_VALUE : usual(algorithm), algorithm)).toList();
    }

    private Set<Algorithm> able(CollFunction function) {
        Set<Algorithm> able = EnumSet.of(Algorithm.RING);
        Stream.concat(BY_SIZE.stream(), Stream.of(Algorithm.HIERARCHICAL))
                .filter(algorithm -> canBe(function, algorithm)).forEach(able::add);
        return able;
    }

    /** What there is to choose from; if what is asked for cannot be, all. */
    private Set<Algorithm> choice(CollFunction function) {
        Set<Algorithm> able = able(function);
        Set<Algorithm> asked = EnumSet.copyOf(able);
        asked.removeIf(algorithm -> !allowed.admits(function, algorithm));
        return asked.isEmpty() ? able : asked;
    }

    private boolean canBe(CollFunction function, Algorithm algorithm) {
        return nRanks > 1 && switch (algorithm) {
            case RING -> true;
            case DOUBLING -> function == CollFunction.ALL_REDUCE;
            case HIERARCHICAL -> function == CollFunction.ALL_REDUCE && canGoByNodes;
            case PAT -> function == CollFunction.ALL_GATHER || function == CollFunction.REDUCE_SCATTER;
            case TREE -> function == CollFunction.ALL_REDUCE || function == CollFunction.REDUCE
                    || function == CollFunction.BROADCAST;
            default -> false;
        };
    }

    /** Where rings may be used too. */
    private long usual(Algorithm algorithm) {
        return switch (algorithm) {
            case DOUBLING -> isOdd() ? -1 : doublingBytes;
            case PAT -> patBytes;
            default -> treeBytes;
        };
    }

    /** Few ranks that are no power of two: they gather in as many hops as they double, or fewer. */
    private boolean isOdd() {
        return nRanks < FEWEST_FOLDED && Integer.bitCount(nRanks) != 1;
    }

    private long limit(Algorithm algorithm) {
        return switch (algorithm) {
            case DOUBLING -> slotBytes;
            case PAT -> slotBytes / LogSteps.mostParts(nRanks);
            default -> Long.MAX_VALUE;
        };
    }
}
