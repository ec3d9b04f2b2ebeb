/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.RingOrder;
import io.proxyrt.core.progress.PeerInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The hosts of a communicator's ranks, in the order of their first ranks.
 *
 * @param ranks of each, ascending
 * @param rings the same in the order in which they follow each other in rings
 * @param trees the same in the order in which they take their places in trees
 */
record Nodes(List<List<Integer>> ranks, List<List<Integer>> rings, List<List<Integer>> trees) {
    /** In the order of their numbers. */
    Nodes(List<List<Integer>> ranks) {
        this(ranks, ranks, ranks);
    }

    static Nodes of(PeerInfo[] infos) {
        return of(Arrays.stream(infos).map(info -> info.process().hostHash()).toList());
    }

    /** By what tells hosts apart, of each rank. */
    static Nodes of(List<?> hosts) {
        Map<Object, List<Integer>> byHost = new LinkedHashMap<>();
        for (int rank = 0; rank < hosts.size(); rank++) {
            byHost.computeIfAbsent(hosts.get(rank), any -> new ArrayList<>()).add(rank);
        }
        return new Nodes(byHost.values().stream().map(List::copyOf).toList());
    }

    /** The same hosts with their ranks in other orders. */
    Nodes inOrder(List<List<Integer>> newRings, List<List<Integer>> newTrees) {
        return new Nodes(ranks, newRings, newTrees);
    }

    /** Ranks of a host follow each other, whatever their numbers: the fewest connections go from host to host. */
    RingOrder ring() {
        return RingOrder.of(rings.stream().flatMap(List::stream).mapToInt(rank -> rank).toArray());
    }

    int count() {
        return ranks.size();
    }

    /** Which node a rank is of. */
    int nodeOf(int rank) {
        for (int node = 0; node < ranks.size(); node++) {
            if (ranks.get(node).contains(rank)) {
                return node;
            }
        }
        throw new IllegalArgumentException("rank " + rank);
    }

    /** Whether all nodes have equally many ranks, which follow each other: then the ranks' parts of a buffer do so. */
    boolean areAlike() {
        int locals = ranks.getFirst().size();
        for (int node = 0; node < ranks.size(); node++) {
            List<Integer> own = ranks.get(node);
            if (own.size() != locals || own.getFirst() != node * locals || own.getLast() != (node + 1) * locals - 1) {
                return false;
            }
        }
        return true;
    }

    /** The fewest ranks of a node. */
    int fewest() {
        return ranks.stream().mapToInt(List::size).min().orElseThrow();
    }

    /** The most ranks of a node. */
    int most() {
        return ranks.stream().mapToInt(List::size).max().orElseThrow();
    }
}
