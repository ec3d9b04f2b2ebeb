/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

import java.lang.foreign.MemorySegment;

/**
 * Memory registered with one comm: NCCL's {@code mhandle}. Used by the thread that uses the comm; another one may
 * register and close memory beside that thread's posting calls and tests.
 */
public interface CollNetMemory extends AutoCloseable {
    /**
     * The memory.
     *
     * @return as registered
     */
    MemorySegment segment();

    /** Ends the registration; no request uses it any more. The memory itself stays with its owner. Idempotent. */
    @Override
    void close();
}
