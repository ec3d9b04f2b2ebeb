/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.OpenedEnd;
import io.proxyrt.core.transport.Owned;
import io.proxyrt.transport.p2p.P2pMessages.ConnectInfo;

/**
 * The memory of a peer's end, opened here.
 *
 * @param info   what the peer said of it
 * @param memory as this rank's device reaches it
 * @param opened what is behind it; the same, unless it is the host's
 */
record PeerEnd(ConnectInfo info, DeviceMemory memory, DeviceMemory opened) implements OpenedEnd {
    /** Blocks until the peer has answered, if it has to be asked. */
    static PeerEnd open(P2pParts parts, ConnectInfo info) {
        P2pDevices devices = parts.devices();
        P2pWay way = info.setup().way();
        Device importer = devices.owner(way, info.layout().isHostWords(), false);
        try (Owned owned = new Owned()) {
            DeviceMemory opened = owned.add(parts.ways().of(way).open(importer, info.name(), info.layout().bytes(),
                    parts.settings().connectTimeout()));
            DeviceMemory memory = owned.add(devices.reach(way, importer, opened));
            owned.release();
            return new PeerEnd(info, memory, opened);
        }
    }

    @Override
    public ConnectorEnd end() {
        return info.setup().end();
    }

    @Override
    public void close() {
        try (Owned owned = new Owned()) {
            owned.add(opened);
            owned.add(memory);
        }
    }
}
