/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.device.DeviceMemory;
import java.lang.foreign.MemorySegment;

/** A piece of a device's memory out of a {@link BufferPool}. */
public final class PooledBuffer implements AutoCloseable {
    final Slab slab;
    final Object owner;
    private final BufferPool pool;
    private final long offset;
    private final long bytes;
    private final MemorySegment segment;

    PooledBuffer(BufferPool pool, Slab slab, long offset, long bytes, Object owner) {
        this.pool = pool;
        this.slab = slab;
        this.offset = offset;
        this.bytes = bytes;
        this.owner = owner;
        this.segment = slab.memory.range().asSlice(offset, bytes);
    }

    /**
     * The memory that it is a piece of. Not to be closed.
     *
     * @return shared with other pieces
     */
    public DeviceMemory memory() {
        return slab.memory;
    }

    /**
     * Where it begins.
     *
     * @return bytes from the beginning of {@link #memory()}
     */
    public long offset() {
        return offset;
    }

    /**
     * The piece alone, as a {@link DeviceMemory#range()}.
     *
     * @return valid until {@link #close()}; not for the CPU if the device's memory is not
     */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Its size.
     *
     * @return bytes; as asked for, rounded up to the pool's unit
     */
    public long bytes() {
        return bytes;
    }

    /**
     * Gives it back. Neither a kernel nor a network may use it any more: unlike memory of a device it is not gone then,
     * but another's. Idempotent; any thread.
     */
    @Override
    public void close() {
        pool.free(this);
    }

    @Override
    public String toString() {
        return bytes + " bytes of " + owner;
    }
}
