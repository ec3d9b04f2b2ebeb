/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.tuner;

import java.util.Locale;

/** The algorithms that the models of NCCL and RCCL know, numbered as {@code NCCL_ALGO_*}. */
public enum NcclAlgorithm {
    /** A double binary tree between nodes, a chain within one. */
    TREE,
    /** A ring of all ranks. */
    RING,
    /** The network reduces for heads, around which the ranks of a node form stars. */
    COLLNET_DIRECT,
    /** The network reduces for heads, to which the ranks of a node form lines. */
    COLLNET_CHAIN,
    /** The switch between the GPUs of a node reduces. */
    NVLS,
    /** That switch within a node, trees between nodes. */
    NVLS_TREE,
    /** Parallel aggregated trees. */
    PAT;

    /**
     * What {@code NCCL_ALGO} calls it.
     *
     * @return such as {@code collnetdirect}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace("_", "");
    }
}
