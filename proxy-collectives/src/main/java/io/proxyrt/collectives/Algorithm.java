/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

/** How a collective may go; one that an operation cannot take gives way to the others. */
public enum Algorithm {
    /** A ring of all ranks. */
    RING,
    /** Two binary trees of all ranks for all-reduces, one for reduces and broadcasts. */
    TREE,
    /** Recursive doubling, for all-reduces that fit a slot. Kernels of the host only. */
    DOUBLING,
    /**
     * Rounds of which each moves twice as much as the one before, as NCCL's parallel aggregated trees do for one rank a
     * node: for all-gathers and reduce-scatters of which half fits a slot. Kernels of the host only.
     */
    PAT,
    /** Within nodes and then between them, for all-reduces of nodes that have equally many ranks, more than one. */
    HIERARCHICAL,
    /**
     * As a file of the user says ({@link CollectivesOptions#MSCCL_FILES}), for the all-reduces, all-gathers,
     * reduce-scatters and all-to-alls that it is for. Kernels of the host only.
     */
    MSCCL,
    /** Each GPU sends all that it has to all others, for small all-reduces: NCCL's {@code AllReduce_AGxLL_R}. */
    ONESHOT,
    /** The network carries it out for heads, around which the ranks of a node form stars. */
    COLLNETDIRECT,
    /** The network carries all-reduces out for heads, to which the ranks of a node form lines. */
    COLLNETCHAIN
}
