/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Plays the GPU: its memory is the host's, its kernels run on the host's threads, its control words are the same. */
public final class HostDevice implements Device {
    private static final long ALIGNMENT = 4096;

    private final int number;
    private final AtomicLong nextId = new AtomicLong(1);
    private final Map<Long, HostMemory> memories = new ConcurrentHashMap<>();

    /**
     * A device without memory yet.
     *
     * @param number for its name
     */
    public HostDevice(int number) {
        this.number = number;
    }

    @Override
    public String name() {
        return "host:" + number;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        Arena arena = Arena.ofShared();
        try {
            HostMemory memory = new HostMemory(nextId.getAndIncrement(), arena, arena.allocate(bytes, ALIGNMENT));
            memories.put(memory.id, memory);
            return memory;
        } catch (OutOfMemoryError | IllegalArgumentException e) {
            arena.close();
            throw new ProxyException(ProxyResult.SYSTEM_ERROR, name() + ": cannot allocate " + bytes
                    + " bytes: " + e.getMessage() + "; raise -XX:MaxDirectMemorySize or lower proxyrt.buffer.bytes", e);
        }
    }

    @Override
    public DeviceMemory memory(long id) {
        DeviceMemory memory = memories.get(id);
        if (memory == null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, name() + " has no memory with id " + id);
        }
        return memory;
    }

    @Override
    public void close() {
        memories.values().forEach(HostMemory::close);
    }

    private final class HostMemory implements DeviceMemory {
        private final long id;
        private final Arena arena;
        private final MemorySegment segment;

        HostMemory(long id, Arena arena, MemorySegment segment) {
            this.id = id;
            this.arena = arena;
            this.segment = segment;
        }

        @Override
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public long id() {
            return id;
        }

        @Override
        public void close() {
            if (memories.remove(id) != null) {
                arena.close();
            }
        }
    }
}
