/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.PeerInfo;
import java.time.Duration;

/** Memory with a handle of its driver, by which processes of the same user open it as long as it is there. */
final class HandleWay implements MemoryWay {
    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        if (self.process().uid() != peer.process().uid()) {
            return "rank " + peer.rank() + " belongs to another user";
        }
        // A driver opens no handle in the process that made it.
        return self.isSameProcess(peer) && !Ways.isHost(self) ? "rank " + peer.rank() + " is in the same process"
                : Ways.whoLacks(DeviceCapability.IPC_HANDLES, self, peer);
    }

    @Override
    public DeviceMemory allocate(Device owner, long bytes) {
        return owner.allocateIpc(bytes);
    }

    @Override
    public MemoryOffer offer(Device owner, DeviceMemory memory, int peer) {
        byte[] handle = owner.ipcHandle(memory);
        if (handle.length > MemoryName.MAX_TEXT_BYTES) {
            throw new ProxyException(ProxyResult.INTERNAL_ERROR, owner.name() + ": a handle of " + handle.length
                    + " bytes; at most " + MemoryName.MAX_TEXT_BYTES + " travel");
        }
        // The peer that has the handle asks the driver.
        return new MemoryOffer(new MemoryName(0, handle), () -> true);
    }

    /** The handle goes with the memory. */
    @Override
    public void withdraw(MemoryOffer offer) {
    }

    @Override
    public DeviceMemory open(Device importer, MemoryName name, long bytes, Duration timeout) {
        DeviceMemory memory = importer.openIpc(name.text());
        if (memory.bytes() < bytes) {
            long there = memory.bytes();
            memory.close();
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, importer.name() + ": memory of a peer with " + there
                    + " bytes, which said " + bytes);
        }
        return memory;
    }
}
