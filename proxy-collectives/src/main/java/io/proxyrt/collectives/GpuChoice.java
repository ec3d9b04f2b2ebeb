/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.CollFunction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.config.ProxyConfig;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which algorithm ranks with kernels of GPUs carry a collective out by. By size, so that all ranks choose alike: small
 * ones in one shot or two, all-reduces of several nodes by trees, large ones by nodes, the rest by rings. Immutable.
 */
final class GpuChoice {
    private static final int NEVER = -1;
    private static final int IMPOSSIBLE = -2;
    /** Fewer have as many hops in a ring as in a tree. */
    private static final int FEWEST_IN_TREES = 4;

    private final Allowed<Algorithm> allowed;
    private final Allowed<Protocol> protocols;
    private final int nRanks;
    /** What the options say, if all are allowed. */
    private final ShotLimits shots;
    private final long usualTrees;
    private final long usualByNodes;
    /** By function: up to which size it goes in one shot or two. */
    private final long[] shotBytes = new long[CollFunction.values().length];
    /** By function: up to which size what does not goes by trees. */
    private final long[] treeBytes = new long[CollFunction.values().length];
    /** From which size on other all-reduces go by nodes; MAX_VALUE if none does. */
    private final long leastByNodes;

    /** For what the slowest connection of all rings goes by, if there is more than one rank. */
    GpuChoice(ProxyConfig config, int nRanks, Nodes nodes, GpuPath path) {
        this(config.get(CollectivesOptions.ALGORITHM), config.get(CollectivesOptions.PROTOCOL), nRanks,
                ShotLimits.of(config, nRanks, path),
                nodes.count() < 2 || nRanks < FEWEST_IN_TREES ? NEVER
                        : nodes.count() * config.get(CollectivesOptions.GPU_TREE_BYTES),
                Hierarchical.isFor(nodes) ? config.get(CollectivesOptions.HIERARCHICAL_BYTES) : IMPOSSIBLE);
    }

    private GpuChoice(Allowed<Algorithm> allowed, Allowed<Protocol> protocols, int nRanks, ShotLimits shots,
            long usualTrees, long usualByNodes) {
        this.allowed = allowed;
        this.protocols = protocols;
        this.nRanks = nRanks;
        this.shots = shots;
        this.usualTrees = usualTrees;
        this.usualByNodes = usualByNodes;
        for (CollFunction function : CollFunction.values()) {
            shotBytes[function.ordinal()] = choice(function).contains(Algorithm.ONESHOT) ? shots.most(function) : NEVER;
            treeBytes[function.ordinal()] = treeBytes(function, choice(function));
        }
        this.leastByNodes = leastByNodes(choice(CollFunction.ALL_REDUCE));
    }

    private long treeBytes(CollFunction function, Set<Algorithm> choice) {
        return !choice.contains(Algorithm.TREE) ? NEVER
                : !choice.contains(Algorithm.RING) && !choice.contains(Algorithm.HIERARCHICAL) ? Long.MAX_VALUE
                : function == CollFunction.ALL_REDUCE ? usualTrees : NEVER;
    }

    private long leastByNodes(Set<Algorithm> choice) {
        return !choice.contains(Algorithm.HIERARCHICAL) ? Long.MAX_VALUE
                : !choice.contains(Algorithm.RING) ? 1 : usualByNodes < 0 ? Long.MAX_VALUE : usualByNodes;
    }

    /** What there is to choose from; if nothing of that is allowed, all. */
    private Set<Algorithm> choice(CollFunction function) {
        Set<Algorithm> able = EnumSet.of(Algorithm.RING);
        if (nRanks > 1 && nRanks <= GpuTrees.MOST_RANKS && canGoByTrees(function)) {
            able.add(Algorithm.TREE);
        }
        if (shots.most(function) != ShotLimits.NEVER && protocols.admits(function, Protocol.LL)) {
            able.add(Algorithm.ONESHOT);
        }
        if (function == CollFunction.ALL_REDUCE && usualByNodes != IMPOSSIBLE) {
            able.add(Algorithm.HIERARCHICAL);
        }
        Set<Algorithm> asked = EnumSet.copyOf(able);
        asked.removeIf(algorithm -> !allowed.admits(function, algorithm));
        return asked.isEmpty() ? able : asked;
    }

    private static boolean canGoByTrees(CollFunction function) {
        return function == CollFunction.ALL_REDUCE || function == CollFunction.REDUCE
                || function == CollFunction.BROADCAST;
    }

    /** The same of ranks that do not all reach each other. */
    GpuChoice withoutOneShot() {
        return new GpuChoice(allowed, protocols, nRanks, ShotLimits.NONE, usualTrees, usualByNodes);
    }

    /** How a collective goes. */
    Algorithm of(CollFunction function, long bytes) {
        return bytes <= 0 ? Algorithm.RING
                : bytes <= shotBytes[function.ordinal()] ? Algorithm.ONESHOT
                : bytes <= treeBytes[function.ordinal()] ? Algorithm.TREE
                : function == CollFunction.ALL_REDUCE && bytes >= leastByNodes ? Algorithm.HIERARCHICAL
                : Algorithm.RING;
    }

    /** Whether an all-reduce that goes by {@link Algorithm#ONESHOT} takes two. */
    boolean isInTwoShots(long bytes) {
        return bytes > shots.oneShot();
    }

    /** From which size on an all-reduce goes by nodes that nothing else takes; MAX_VALUE if none does. */
    long leastByNodes() {
        return leastByNodes;
    }

    /** Whether any all-reduce goes by trees. */
    boolean usesTrees() {
        return treeBytes[CollFunction.ALL_REDUCE.ordinal()] > 0;
    }

    /** What all-reduces go by that do not go by a ring, each followed by what larger ones do, for people. */
    String describe() {
        long most = shotBytes[CollFunction.ALL_REDUCE.ordinal()];
        return LaunchPlanner.upTo(Math.min(most, shots.oneShot()), "one shot")
                + LaunchPlanner.upTo(most > shots.oneShot() ? most : NEVER, "two shots")
                + LaunchPlanner.upTo(treeBytes[CollFunction.ALL_REDUCE.ordinal()], "trees");
    }
}
