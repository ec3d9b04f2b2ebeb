/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** A tree of all ranks of a job. Immutable. */
public final class RankTree {
    private final int[] parents;
    private final List<List<Integer>> children;

    RankTree(int[] parents, List<List<Integer>> children) {
        this.parents = parents.clone();
        this.children = children.stream().map(List::copyOf).toList();
    }

    /**
     * The rank above another.
     *
     * @param rank any
     * @return -1 for the root
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such rank
     */
    public int parent(int rank) {
        checkRank(rank);
        return parents[rank];
    }

    /**
     * The ranks below another.
     *
     * @param rank any
     * @return up to three: the one of its own host first
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there is no such rank
     */
    public List<Integer> children(int rank) {
        checkRank(rank);
        return children.get(rank);
    }

    private void checkRank(int rank) {
        if (rank < 0 || rank >= parents.length) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "there is no rank " + rank + " in a tree of "
                    + parents.length);
        }
    }

    /**
     * The rank that has no parent.
     *
     * @return a rank
     */
    public int root() {
        return IntStream.range(0, parents.length).filter(rank -> parents[rank] < 0).findFirst().orElseThrow();
    }

    /** The parents by rank. */
    @Override
    public String toString() {
        return Arrays.toString(parents);
    }
}
