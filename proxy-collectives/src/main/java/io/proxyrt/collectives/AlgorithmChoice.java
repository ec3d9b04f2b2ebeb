/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.ProxyConfig;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which algorithm ranks with kernels of the host carry a collective out by, where the network does not. By size, so
 * that all ranks choose alike. Immutable.
 */
final class AlgorithmChoice {
    /** The first whose limit is not exceeded is used; where there is none, rings, by which everything can go. */
    private static final List<Algorithm> BY_SIZE = List.of(Algorithm.DOUBLING, Algorithm.PAT, Algorithm.TREE);

    /** Ranks among which some are folded, at least. */
    private static final int FEWEST_FOLDED = 6;

    private final Allowed<Algorithm> allowed;
    private final int nRanks;
    private final long slotBytes;
    private final long doublingBytes;
    private final long patBytes;
    private final long treeBytes;
    private final boolean canGoByNodes;
    /** From which size on an all-reduce goes by nodes that nothing above takes; MAX_VALUE if none does. */
    private final long leastByNodes;
    /** By function, and then as {@link #BY_SIZE}. */
    private final long[][] most = new long[CollFunction.values().length][BY_SIZE.size()];

    /** For rings that are connected, if there is more than one rank, and of which all are direct, or not. */
    AlgorithmChoice(ProxyConfig config, int nRanks, Ring[] rings, boolean isDirect, boolean canGoByNodes) {
        this.allowed = config.get(CollectivesOptions.ALGORITHM);
        this.nRanks = rings.length == 0 ? 1 : nRanks;
        this.slotBytes = rings.length == 0 ? 0 : rings[0].stepBytes(Protocol.SIMPLE);
        this.doublingBytes = config.get(isDirect ? CollectivesOptions.DIRECT_DOUBLING_BYTES
                : CollectivesOptions.DOUBLING_BYTES);
        this.patBytes = config.get(CollectivesOptions.PAT_BYTES);
        this.treeBytes = config.get(CollectivesOptions.TREE_BYTES);
        this.canGoByNodes = canGoByNodes;
        this.leastByNodes = leastByNodes(config.get(CollectivesOptions.HIERARCHICAL_BYTES));
        for (CollFunction function : CollFunction.values()) {
            Arrays.setAll(most[function.ordinal()], i -> find(function, BY_SIZE.get(i)));
        }
    }

    /** How a collective goes. */
    Algorithm of(CollFunction function, long bytes) {
        long[] limits = most[function.ordinal()];
        for (int i = 0; i < limits.length; i++) {
            if (bytes > 0 && bytes <= limits[i]) {
                return BY_SIZE.get(i);
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

    /** Up to which size an algorithm is used, where none before it is; -1 if it is not. */
    long most(CollFunction function, Algorithm algorithm) {
        return most[function.ordinal()][BY_SIZE.indexOf(algorithm)];
    }

    private long find(CollFunction function, Algorithm algorithm) {
        if (!canBe(function, algorithm)) {
            return -1;
        }
        Set<Algorithm> choice = choice(function);
        if (!choice.contains(algorithm)) {
            return -1;
        }
        boolean isLast = !choice.contains(Algorithm.RING) && !choice.contains(Algorithm.HIERARCHICAL)
                && BY_SIZE.reversed().stream().filter(choice::contains).findFirst().orElseThrow() == algorithm;
        return Math.min(isLast ? Long.MAX_VALUE : usual(algorithm), limit(algorithm));
    }

    /** What there is to choose from; if what is asked for cannot be, all. */
    private Set<Algorithm> choice(CollFunction function) {
        Set<Algorithm> able = EnumSet.of(Algorithm.RING);
        Stream.concat(BY_SIZE.stream(), Stream.of(Algorithm.HIERARCHICAL))
                .filter(algorithm -> canBe(function, algorithm)).forEach(able::add);
        Set<Algorithm> asked = EnumSet.copyOf(able);
        asked.removeIf(algorithm -> !allowed.admits(function, algorithm));
        return asked.isEmpty() ? able : asked;
    }

    private boolean canBe(CollFunction function, Algorithm algorithm) {
        return nRanks > 1 && switch (algorithm) {
            case DOUBLING -> function == CollFunction.ALL_REDUCE;
            case HIERARCHICAL -> function == CollFunction.ALL_REDUCE && canGoByNodes;
            case PAT -> function == CollFunction.ALL_GATHER || function == CollFunction.REDUCE_SCATTER;
            case TREE -> function == CollFunction.ALL_REDUCE || function == CollFunction.REDUCE
                    || function == CollFunction.BROADCAST;
            default -> false;
        };
    }

    /** Where rings may be used too. Few ranks that are no power of two gather in as many hops, or fewer. */
    private long usual(Algorithm algorithm) {
        return switch (algorithm) {
            case DOUBLING -> nRanks < FEWEST_FOLDED && Integer.bitCount(nRanks) != 1 ? -1 : doublingBytes;
            case PAT -> patBytes;
            default -> treeBytes;
        };
    }

    private long limit(Algorithm algorithm) {
        return switch (algorithm) {
            case DOUBLING -> slotBytes;
            case PAT -> slotBytes / LogSteps.mostParts(nRanks);
            default -> Long.MAX_VALUE;
        };
    }
}
