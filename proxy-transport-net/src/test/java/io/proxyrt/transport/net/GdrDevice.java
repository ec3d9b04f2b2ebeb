/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DmaBuf;
import io.proxyrt.core.device.ForwardingMemory;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** A device that gives networks dma-bufs of its own memory, which the CPU cannot touch. One thread. */
final class GdrDevice implements Device {
    /** What driver and allocator let a dma-buf begin at; the range asked for lies somewhere in it. */
    private static final long DMA_BUF_BYTES = 1 << 16;

    final Set<DeviceCapability> capabilities = EnumSet.of(DeviceCapability.DMA_BUF, DeviceCapability.HOST_REGISTRATION);
    final MemorySegment hdp = Arena.ofAuto().allocate(ValueLayout.JAVA_INT);
    /** How often it was flushed, and with what outcome it is. */
    int flushes;
    int flushResult = 1;
    /** What a flush does to the networks that write to the device. */
    Runnable onFlush = () -> { };
    /** Descriptors that are not closed yet. */
    final Map<Integer, MemorySegment> exported = new HashMap<>();
    private final HostDevice host = new HostDevice(0);
    private final Map<Long, Far> far = new HashMap<>();
    private int last = 100;

    /** Whether it is the device's own. */
    boolean isFar(MemorySegment range) {
        return far.values().stream().anyMatch(own -> {
            long offset = range.address() - own.address();
            return offset >= 0 && offset < own.bytes();
        });
    }

    /** Whether a descriptor that is open stands for a range. */
    boolean isExported(int number, long offset, MemorySegment range) {
        MemorySegment own = exported.get(number);
        return own != null && own.address() == range.address() && own.byteSize() == range.byteSize()
                && offset == own.address() % DMA_BUF_BYTES;
    }

    @Override
    public String name() {
        return "gdr:0";
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return capabilities;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        Far memory = new Far(host.allocate(bytes));
        far.put(memory.id(), memory);
        return memory;
    }

    @Override
    public DeviceMemory allocateHost(long bytes) {
        return host.allocateHost(bytes);
    }

    @Override
    public DeviceMemory memory(long id) {
        DeviceMemory near = host.memory(id);
        return far.containsKey(id) ? far.get(id) : near;
    }

    @Override
    public DmaBuf exportDmaBuf(DeviceMemory memory, long offset, long bytes) {
        if (!(memory instanceof Far) || (offset | bytes) % 4096 != 0 || offset + bytes > memory.bytes()) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no dma-buf of " + bytes + " bytes at " + offset);
        }
        MemorySegment range = memory.range().asSlice(offset, bytes);
        exported.put(++last, range);
        return new DmaBuf(new OwnedFd(last, exported::remove), range.address() % DMA_BUF_BYTES);
    }

    @Override
    public MemorySegment hdpRegister() {
        return hdp;
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

    /** Kernels and the network's adapter, which the test plays, reach its range. */
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
