/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.transport.p2p.P2pMessages.ConnectInfo;
import io.proxyrt.transport.p2p.P2pMessages.Setup;

/**
 * The memory that this rank made for its end of a connection, and lets the peer open.
 *
 * @param info      what the peer is told
 * @param memory    as this rank's device reaches it
 * @param allocated what is behind it; the same, unless it is a third device's
 * @param way       that it goes
 * @param offer     to the peer
 */
record OwnEnd(ConnectInfo info, DeviceMemory memory, DeviceMemory allocated, MemoryWay way, MemoryOffer offer)
        implements AutoCloseable {
    /** Zeroed: no step is there, none is read, all data lie in the slots. */
    static OwnEnd make(P2pParts parts, Setup setup) {
        EndLayout layout = parts.settings().layout(setup.end().direction());
        MemoryWay way = parts.ways().of(setup.way());
        Device owner = parts.devices().owner(setup.isRelayed());
        try (Owned owned = new Owned()) {
            DeviceMemory allocated = owned.add(way.allocate(owner, layout.bytes()));
            DeviceMemory memory = owned.add(parts.devices().reach(setup.way(), owner, allocated));
            MemoryOffer offer = way.offer(owner, allocated, setup.end().remoteRank());
            owned.release();
            return new OwnEnd(new ConnectInfo(setup, layout, offer.name()), memory, allocated, way, offer);
        }
    }

    /** Lets no other rank open it. */
    @Override
    public void close() {
        way.withdraw(offer);
        try (Owned owned = new Owned()) {
            owned.add(allocated);
            owned.add(memory);
        }
    }
}
