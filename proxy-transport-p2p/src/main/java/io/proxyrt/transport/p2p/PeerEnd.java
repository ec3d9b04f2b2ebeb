/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.OpenedEnd;
import io.proxyrt.transport.p2p.P2pMessages.ConnectInfo;

/**
 * The memory of a peer's end, opened here.
 *
 * @param info   what the peer said of it
 * @param memory as this rank's device reaches it
 * @param hasWholeLines whether a line that a warp stores there, or in this rank's from there, is seen at once
 */
record PeerEnd(ConnectInfo info, DeviceMemory memory, boolean hasWholeLines) implements OpenedEnd {
    /** Blocks until the peer has answered, if it has to be asked. */
    static PeerEnd open(P2pParts parts, ConnectInfo info, PeerInfo peer) {
        return new PeerEnd(info, parts.ways().of(info.setup().way()).open(parts.devices().own(), info.name(),
                info.layout().bytes(), parts.settings().connectTimeout()), parts.devices().hasWholeLines(peer));
    }

    @Override
    public ConnectorEnd end() {
        return info.setup().end();
    }

    @Override
    public void close() {
        memory.close();
    }
}
