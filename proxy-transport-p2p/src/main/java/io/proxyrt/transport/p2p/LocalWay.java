/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.PeerInfo;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Memory that ranks of one process use as it is. They find it, and the device whose it is, in a table of the process,
 * by a random number. Both ends hold the memory: it is freed when the last of them lets go.
 */
final class LocalWay implements MemoryWay {
    /** Ranks of one process need not know of each other but by what they tell; this is where they meet. */
    private static final Map<Long, Local> OFFERS = new ConcurrentHashMap<>();
    private static final byte[] NO_TEXT = {};

    private final SecureRandom random = new SecureRandom();

    private record Local(Device owner, SharedMemory memory) {
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        return self.isSameProcess(peer) ? "" : "rank " + peer.rank() + " is in another process";
    }

    @Override
    public DeviceMemory allocate(Device owner, long bytes) {
        DeviceMemory memory = owner.allocate(bytes);
        // A rank closes its device when it leaves, and the other's kernels may still store a credit then.
        owner.disown(memory);
        return SharedMemory.of(memory);
    }

    @Override
    public MemoryOffer offer(Device owner, DeviceMemory memory, int peer) {
        Local offer = new Local(owner, (SharedMemory) memory);
        long key;
        do {
            key = random.nextLong();
        } while (key == 0 || OFFERS.putIfAbsent(key, offer) != null);
        return new MemoryOffer(new MemoryName(key, NO_TEXT), offer.memory::isShared);
    }

    @Override
    public void withdraw(MemoryOffer offer) {
        OFFERS.remove(offer.name().key());
    }

    @Override
    public DeviceMemory open(Device importer, MemoryName name, long bytes, Duration timeout) {
        Local offer = OFFERS.get(name.key());
        if (offer == null || offer.memory.bytes() < bytes) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, importer.name() + ": this process has no memory of "
                    + bytes + " bytes by the number that a peer told, or not any more");
        }
        if (offer.owner != importer) {
            importer.enablePeerAccess(offer.owner);
        }
        return offer.memory.share();
    }

    /** Memory that may be opened; for tests. */
    static int offers() {
        return OFFERS.size();
    }
}
