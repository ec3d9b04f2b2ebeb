/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.device.host.HostDevice;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A host device that reaches one other only, by its name. */
final class LoneDevice implements Device {
    final List<String> enabled = new ArrayList<>();
    private final HostDevice host;
    private final String reached;

    LoneDevice(int number, String reached) {
        this.host = new HostDevice(number);
        this.reached = reached;
    }

    @Override
    public String name() {
        return host.name();
    }

    @Override
    public Set<DeviceCapability> capabilities() {
        return host.capabilities();
    }

    @Override
    public String whyNoPeer(PeerDevice peer) {
        return peer.kind().equals(Devices.HOST) && peer.name().equals(reached) ? ""
                : name() + " reaches " + reached + " only";
    }

    @Override
    public boolean canAccessPeer(Device peer) {
        return peer.name().equals(reached);
    }

    @Override
    public void enablePeerAccess(Device peer) {
        enabled.add(peer.name());
    }

    @Override
    public DeviceMemory allocate(long bytes) {
        throw new AssertionError("its memory is out of reach for the peer");
    }

    @Override
    public DeviceMemory memory(long id) {
        return host.memory(id);
    }

    @Override
    public DeviceMemory allocateShareable(long bytes) {
        return host.allocateShareable(bytes);
    }

    @Override
    public OwnedFd exportFd(DeviceMemory memory) {
        return host.exportFd(memory);
    }

    @Override
    public DeviceMemory importFd(OwnedFd fd) {
        return host.importFd(fd);
    }

    @Override
    public DeviceMemory openIpc(byte[] handle) {
        return host.openIpc(handle);
    }

    @Override
    public DeviceMemory register(MemorySegment memory) {
        return host.register(memory);
    }

    @Override
    public void close() {
        host.close();
    }
}
