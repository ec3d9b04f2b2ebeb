/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.topology;

import java.util.Arrays;
import java.util.Optional;

/** How data go through the ranks of a host in a channel, numbered as NCCL does. */
public enum GraphPattern {
    /** A chain whose first two GPUs share the way to the network: one gets from the parent, the other from a child. */
    BALANCED_TREE(1),
    /** A chain whose first GPU goes to the network, and whose second one does so for the other direction. */
    SPLIT_TREE(2),
    /** A chain whose first GPU goes to the network for both directions. */
    TREE(3),
    /** From a NIC through all GPUs to a NIC; without a network, round all GPUs. */
    RING(4);

    private final int number;

    GraphPattern(int number) {
        this.number = number;
    }

    /**
     * NCCL's number of it.
     *
     * @return 1 to 4
     */
    public int number() {
        return number;
    }

    /** Empty if there is none of that number. */
    static Optional<GraphPattern> of(int number) {
        return Arrays.stream(values()).filter(pattern -> pattern.number == number).findFirst();
    }
}
