/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceCapability;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.MemorySharing;
import io.proxyrt.core.progress.PeerInfo;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Memory of which the UDS thread gives a descriptor to the peer only. */
final class DescriptorWay implements MemoryWay {
    private final MemorySharing sharing;

    DescriptorWay(MemorySharing sharing) {
        this.sharing = sharing;
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        String lacking = Ways.whoLacks(DeviceCapability.SHAREABLE_MEMORY, self, peer);
        return lacking.isEmpty() ? sharing.whyNot(self, peer) : lacking;
    }

    @Override
    public DeviceMemory allocate(Device owner, long bytes) {
        return owner.allocateShareable(bytes);
    }

    @Override
    public MemoryOffer offer(Device owner, DeviceMemory memory, int peer) {
        AtomicInteger descriptors = new AtomicInteger();
        long handle = sharing.export(() -> {
            OwnedFd fd = owner.exportFd(memory);
            descriptors.incrementAndGet();
            return fd;
        }, Set.of(peer));
        // The first one was made to see whether it can be.
        return new MemoryOffer(new MemoryName(handle, sharing.address().getBytes(StandardCharsets.UTF_8)),
                () -> descriptors.get() > 1);
    }

    @Override
    public void withdraw(MemoryOffer offer) {
        sharing.revoke(offer.name().key());
    }

    @Override
    public DeviceMemory open(Device importer, MemoryName name, long bytes, Duration timeout) {
        String address = new String(name.text(), StandardCharsets.UTF_8);
        return importer.importFd(sharing.getFd(address, timeout, name.key()).getFirst(), bytes);
    }
}
