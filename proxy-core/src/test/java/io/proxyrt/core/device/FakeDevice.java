/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.device;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.platform.Platform;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Memory of the host, with descriptors that are only numbers, of which it knows those that are open. */
public final class FakeDevice implements Device {
    /** Descriptors that are not closed yet. */
    public final Set<Integer> open = new HashSet<>();
    /** Bytes of memory that comes by a descriptor. */
    public long importedBytes = 4096;
    private final List<DeviceMemory> imported = new ArrayList<>();
    private final HostDevice device = new HostDevice(0, Platform.find());
    private int last = 100;

    /** Without memory yet. */
    public FakeDevice() {
    }

    /** A descriptor that is open. */
    public OwnedFd fd() {
        open.add(++last);
        return new OwnedFd(last, number -> {
            if (!open.remove(number)) {
                throw new AssertionError(number + " is closed twice");
            }
        });
    }

    /** How often memory came by a descriptor. */
    public int imports() {
        return imported.size();
    }

    /** Whether all memory that came by a descriptor was given back. */
    public boolean isAllImportedClosed() {
        return imported.stream().noneMatch(memory -> memory.segment().scope().isAlive());
    }

    @Override
    public String name() {
        return "fake";
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return Set.of(DeviceCapability.SHAREABLE_MEMORY);
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        return device.allocate(bytes);
    }

    @Override
    public DeviceMemory memory(long id) {
        return device.memory(id);
    }

    @Override
    public DeviceMemory allocateShareable(long bytes) {
        return device.allocate(bytes);
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        device.memory(memory.id());
        return fd();
    }

    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        fd.close();
        if (importedBytes == 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "no memory");
        }
        DeviceMemory memory = device.allocate(importedBytes);
        imported.add(memory);
        return memory;
    }

    @Override
    public void close() {
        device.close();
    }
}
