/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;

/** A piece of a device's memory. */
public interface DeviceMemory extends AutoCloseable {
    /**
     * The memory.
     *
     * @return valid until {@link #close()}, from any thread
     */
    MemorySegment segment();

    /**
     * Names the memory within its device; never given twice.
     *
     * @return an id, no address
     */
    long id();

    /** Frees it. Idempotent. Later access fails with an exception, never with a crash. */
    @Override
    void close();
}
