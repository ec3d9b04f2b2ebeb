/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

/**
 * Memory that a communicator's network, and kernels of this host, reach directly, from {@link Communicator#register}:
 * the handle of NCCL's {@code ncclCommRegister}.
 */
public interface Registration extends AutoCloseable {
    /**
     * Ends it; the memory stays the caller's. No collective that uses the memory may be outstanding. On the thread that
     * uses the communicator; blocks for a few calls to the service. Idempotent, and nothing to do once the communicator
     * is closed.
     */
    @Override
    void close();
}
