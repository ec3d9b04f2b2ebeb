/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceMemoryKind;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A device that finds memory of the host which it registers at addresses of its own. It has no other memory. */
final class PinningDevice implements Device {
    /** From the CPU's addresses to the device's. */
    static final long SHIFT = 1L << 52;

    final Set<DeviceCapability> capabilities = EnumSet.of(DeviceCapability.HOST_REGISTRATION);
    /** What is registered now, by id. */
    final Map<Long, Pinned> pinned = new HashMap<>();
    private long lastId;

    @Override
    public String name() {
        return "pinning:0";
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return capabilities;
    }

    @Override
    public DeviceMemory register(MemorySegment memory) {
        if (memory.address() % 4096 != 0 || memory.byteSize() % 4096 != 0) {
            throw new AssertionError(memory + " is not made of whole pages");
        }
        Pinned made = new Pinned(++lastId, memory);
        pinned.put(made.id, made);
        return made;
    }

    @Override
    public DeviceMemory memory(long id) {
        return pinned.get(id);
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        throw new AssertionError("a segment is the host's memory");
    }

    @Override
    public void close() {
        pinned.clear();
    }

    /** Registered memory. */
    final class Pinned implements DeviceMemory {
        private final long id;
        private final MemorySegment segment;

        Pinned(long id, MemorySegment segment) {
            this.id = id;
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
        public long address() {
            return segment.address() + SHIFT;
        }

        @Override
        public DeviceMemoryKind kind() {
            return DeviceMemoryKind.REGISTERED;
        }

        /** A driver that is told too late unpins pages that have another owner by then. */
        @Override
        public void close() {
            if (pinned.remove(id) != null && !segment.scope().isAlive()) {
                throw new AssertionError("it was unmapped before it was unregistered");
            }
        }
    }
}
