/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

/** Which algorithm collectives use, where they have a choice. One that a collective cannot use gives way to a ring. */
public enum AlgorithmChoice {
    /** By size, and by what there is. */
    AUTO,
    /** A ring of all ranks. */
    RING,
    /** Recursive doubling, for all-reduces that fit a slot. */
    DOUBLING,
    /** The network carries it out; Direct or Chain as suits the nodes. */
    COLLNET,
    /** The network carries it out for heads, around which the ranks of a node form stars. */
    COLLNETDIRECT,
    /** The network carries all-reduces out for heads, to which the ranks of a node form lines. */
    COLLNETCHAIN;

    /**
     * Whether the network carries collectives out, wherever it can.
     *
     * @return false also for {@link #AUTO}, which may have it do so
     */
    public boolean isCollNet() {
        return this == COLLNET || this == COLLNETDIRECT || this == COLLNETCHAIN;
    }

    /** Whether the network may be used, if that is enabled. */
    boolean admitsCollNet() {
        return this == AUTO || isCollNet();
    }
}
