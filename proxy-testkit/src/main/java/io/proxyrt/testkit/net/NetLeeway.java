/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.net;

/**
 * What a network may do otherwise than {@link NetPluginConformance} has it. Those of this project need none of it;
 * libraries written to NCCL's interface promise less.
 */
public enum NetLeeway {
    /** Handles of other networks are not told from its own. */
    FOREIGN_HANDLES,
    /** Failures do not say which rank the peer is. */
    UNNAMED_PEERS,
    /** Peers that are gone, and messages that are too long, are told by any code, in any words. */
    VAGUE_FAILURES,
    /** A peer that is gone is not noticed, as over networks without connections. */
    UNNOTICED_LOSS,
    /** A message longer than its receive is cut, as by NCCL's InfiniBand network, or overruns it, as FastSocket's. */
    CUT_MESSAGES,
    /** How long a message is that is shorter than its receive is not told, as by FastSocket. */
    UNTOLD_SIZES,
    /**
     * Memory that is freed while a message uses it is used nevertheless, also where it has been allocated again: native
     * code has its address. So the suite ends the segment's scope and keeps the memory until the test is over.
     */
    FREED_MEMORY
}
