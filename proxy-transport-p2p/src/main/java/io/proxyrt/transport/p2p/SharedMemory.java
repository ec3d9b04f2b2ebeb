/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** A hold on memory of this process that several have: it is freed with the last of them. Any thread. */
final class SharedMemory implements DeviceMemory {
    private final DeviceMemory memory;
    private final AtomicInteger holds;
    private final AtomicBoolean wasShared;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private SharedMemory(DeviceMemory memory, AtomicInteger holds, AtomicBoolean wasShared) {
        this.memory = memory;
        this.holds = holds;
        this.wasShared = wasShared;
    }

    /** The first hold. */
    static SharedMemory of(DeviceMemory memory) {
        return new SharedMemory(memory, new AtomicInteger(1), new AtomicBoolean());
    }

    /** One more. */
    SharedMemory share() {
        int seen;
        do {
            seen = holds.get();
            if (seen == 0) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, memory + " was freed");
            }
        } while (!holds.compareAndSet(seen, seen + 1));
        wasShared.set(true);
        return new SharedMemory(memory, holds, wasShared);
    }

    /** Whether there has been more than one hold. */
    boolean isShared() {
        return wasShared.get();
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

    /** What streams copy. */
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
        if (isClosed.compareAndSet(false, true) && holds.decrementAndGet() == 0) {
            memory.close();
        }
    }

    @Override
    public String toString() {
        return memory.toString();
    }
}
