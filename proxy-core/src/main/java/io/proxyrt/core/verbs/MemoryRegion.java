/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.verbs;

/** Registered memory: {@code ibv_mr}. */
public interface MemoryRegion extends AutoCloseable {
    /**
     * Names the region in work requests of this host.
     *
     * @return the local key
     */
    int lkey();

    /**
     * Names the region in work requests of a peer.
     *
     * @return the remote key
     */
    int rkey();

    /** Ends the registration; no work request uses it any more. Idempotent. */
    @Override
    void close();
}
