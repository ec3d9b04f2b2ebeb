/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.testkit.device;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceAttributes;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceEvent;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.DeviceStream;
import io.proxyrt.core.device.ForwardingMemory;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A device whose own memory the CPU cannot touch, as a GPU's; and without peers, and without handles. */
final class FarDevice implements Device {
    private final HostDevice device;
    private final Map<Long, DeviceMemory> far = new ConcurrentHashMap<>();

    FarDevice(int number) {
        device = new HostDevice(number);
    }

    @Override
    public String name() {
        return device.name();
    }

    @Override
    public DeviceAttributes attributes() {
        return device.attributes();
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        Set<DeviceCapability> all = EnumSet.copyOf(device.capabilities());
        all.remove(DeviceCapability.PEER_ACCESS);
        all.remove(DeviceCapability.IPC_HANDLES);
        return all;
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return far(device.allocate(bytes));
    }

    @Override
    public DeviceMemory allocateHost(long bytes) {
        return device.allocateHost(bytes);
    }

    @Override
    public DeviceMemory allocateShareable(long bytes) {
        return far(device.allocateShareable(bytes));
    }

    @Override
    public DeviceMemory memory(long id) {
        device.memory(id);
        return far.getOrDefault(id, device.memory(id));
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        return device.exportFd(near(memory));
    }

    /** As a driver whose descriptors do not tell a size. */
    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        fd.close();
        throw new ProxyException(ProxyResult.INVALID_USAGE, name() + " has to be told a size");
    }

    @Override
    public DeviceMemory importFd(OwnedFd fd, long bytes) {
        return far(device.importFd(fd, bytes));
    }

    @Override
    public DeviceMemory register(MemorySegment memory) {
        return device.register(memory);
    }

    @Override
    public DeviceStream stream(String name) {
        return new FarStream(device.stream(name));
    }

    @Override
    public DeviceEvent event() {
        return device.event();
    }

    @Override
    public void close() {
        device.close();
    }

    private DeviceMemory far(DeviceMemory near) {
        DeviceMemory memory = new FarMemory(near);
        far.put(near.id(), memory);
        return memory;
    }

    private static DeviceMemory near(DeviceMemory memory) {
        if (memory.base() instanceof FarMemory whole && memory != whole) {
            return new DeviceFixture.Part(whole.memory(), memory.baseOffset(), memory.bytes());
        }
        return memory instanceof FarMemory own ? own.memory() : memory;
    }

    /** Has an address, but nothing behind it for the CPU. */
    private static final class FarMemory extends ForwardingMemory {
        FarMemory(DeviceMemory near) {
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

    private record FarStream(DeviceStream stream) implements DeviceStream {
        @Override
        public int copy(DeviceMemory to, long toOffset, DeviceMemory from, long fromOffset, long bytes) {
            return stream.copy(near(to), toOffset, near(from), fromOffset, bytes);
        }

        @Override
        public int record(DeviceEvent event) {
            return stream.record(event);
        }

        @Override
        public int await(DeviceEvent event) {
            return stream.await(event);
        }

        @Override
        public int write(DeviceMemory to, long offset, long value) {
            return stream.write(near(to), offset, value);
        }

        @Override
        public int query() {
            return stream.query();
        }

        @Override
        public void synchronize(Duration timeout) {
            stream.synchronize(timeout);
        }

        @Override
        public String failure() {
            return stream.failure();
        }

        @Override
        public void close() {
            stream.close();
        }
    }
}
