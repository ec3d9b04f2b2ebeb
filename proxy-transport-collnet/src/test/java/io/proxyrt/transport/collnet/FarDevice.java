/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.device.ForwardingMemory;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A device that gives networks dma-bufs of its own memory, which the CPU cannot touch. One thread. */
final class FarDevice implements Device {
    final Set<DeviceCapability> capabilities = EnumSet.of(DeviceCapability.DMA_BUF, DeviceCapability.WRITE_FLUSH);
    /** How often it was flushed, and with what outcome it is. */
    int flushes;
    int flushResult = 1;
    Runnable onFlush = () -> { };
    int exports;
    /** Descriptors that are not closed yet. */
    final Map<Integer, MemorySegment> exported = new HashMap<>();
    private final HostDevice host = new HostDevice(0);

    @Override
    public String name() {
        return "far:0";
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return capabilities;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return new Far(host.allocate(bytes));
    }

    @Override
    public DeviceMemory allocateHost(long bytes) {
        return host.allocateHost(bytes);
    }

    @Override
    public DeviceMemory memory(long id) {
        return host.memory(id);
    }

    @Override
    public DmaBuf exportDmaBuf(DeviceMemory memory, long offset, long bytes) {
        if (!(memory instanceof Far) || (offset | bytes) % 4096 != 0 || offset + bytes > memory.bytes()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no dma-buf of " + bytes + " bytes at " + offset);
        }
        exported.put(++exports, memory.range().asSlice(offset, bytes));
        return new DmaBuf(new OwnedFd(exports, exported::remove), 0);
    }

    @Override
    public int flush() {
        flushes++;
        onFlush.run();
        return flushResult;
    }

    @Override
    public void close() {
        host.close();
    }

    /** The network's adapter, which the test plays, reaches its range. */
    private static final class Far extends ForwardingMemory {
        Far(DeviceMemory near) {
            super(near);
        }

        @Override
        public MemorySegment segment() {
            throw new ProxyException(ProxyResult.INVALID_USAGE, this + " is not the CPU's");
        }

        @Override
        public boolean isHostAccessible() {
            return false;
        }

        @Override
        public DeviceMemory base() {
            return this;
        }
    }
}
