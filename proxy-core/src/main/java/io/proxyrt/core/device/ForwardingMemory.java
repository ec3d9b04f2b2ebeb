/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import java.lang.foreign.MemorySegment;

/** Other memory as it is, but for what a subclass says or does otherwise. */
public abstract class ForwardingMemory implements DeviceMemory {
    private final DeviceMemory memory;

    /**
     * What stands for memory.
     *
     * @param memory closed by {@link #close()}
     */
    protected ForwardingMemory(DeviceMemory memory) {
        this.memory = memory;
    }

    /**
     * What is behind it.
     *
     * @return never changes
     */
    public final DeviceMemory memory() {
        return memory;
    }

    @Override
    public MemorySegment segment() {
        return memory.segment();
    }

    @Override
    public MemorySegment range() {
        return memory.range();
    }

    @Override
    public void zero(long offset, long bytes) {
        memory.zero(offset, bytes);
    }

    @Override
    public long id() {
        return memory.id();
    }

    @Override
    public long bytes() {
        return memory.bytes();
    }

    @Override
    public long address() {
        return memory.address();
    }

    @Override
    public DeviceMemoryKind kind() {
        return memory.kind();
    }

    @Override
    public boolean isHostAccessible() {
        return memory.isHostAccessible();
    }

    /** What the device gave, for streams are told of its own memory only. */
    @Override
    public DeviceMemory base() {
        return memory.base();
    }

    @Override
    public long baseOffset() {
        return memory.baseOffset();
    }

    @Override
    public void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return memory.toString();
    }
}
