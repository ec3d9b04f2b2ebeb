/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core;

/** How a collective walks over the ranks, numbered as {@code ncclPattern_t}. A network may take it as a hint. */
public enum Pattern {
    /** Once round the ring. */
    RING,
    /** Twice round the ring: reduce-scatter, then all-gather. */
    RING_TWICE,
    /** Along the ring, away from the root. */
    PIPELINE_FROM,
    /** Along the ring, towards the root. */
    PIPELINE_TO,
    /** From the leaves to the root. */
    TREE_UP,
    /** From the root to the leaves. */
    TREE_DOWN,
    /** Up, then down. */
    TREE_UP_DOWN,
    /** One rank a node, in a chain. */
    COLLNET_CHAIN,
    /** One rank a node, all at once. */
    COLLNET_DIRECT,
    /** In-switch reduction within a node. */
    NVLS,
    /** The same, with a tree between nodes. */
    NVLS_TREE,
    /** Parallel aggregated trees, upwards. */
    PAT_UP,
    /** Parallel aggregated trees, downwards. */
    PAT_DOWN,
    /** One message to a peer. */
    SEND,
    /** One message from a peer. */
    RECV
}
