/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.transport.shm.ShmMessages.ConnectInfo;
import io.proxyrt.transport.shm.ShmMessages.Setup;

/** What a connection owns, at the proxy. Service thread. */
final class ShmResources {
    private final ConnectInfo info;
    private final Segment own;
    private PeerSegment peer;
    private long ticket;

    ShmResources(ConnectInfo info, Segment own) {
        this.info = info;
        this.own = own;
    }

    /** Makes the segment, in its initial state. */
    static ShmResources make(SegmentSource source, Setup setup, ShmSettings settings, long token) {
        boolean hasBuffers = settings.hasBuffers(setup.direction());
        Segment own = source.make(SegmentLayout.bytes(hasBuffers, settings.buffers()), setup.remoteRank());
        SegmentLayout layout = SegmentLayout.of(own.memory().id(), hasBuffers, settings.buffers());
        if (setup.direction() == Direction.RECV) {
            new RecvMem(layout.control(own.memory().segment())).reset(RecvMem.MODE_NORMAL);
        }
        SegmentHeader.write(own.memory().segment(), token, layout.bytes());
        return new ShmResources(new ConnectInfo(setup, settings.locality(), layout, token, own.address()), own);
    }

    ConnectInfo info() {
        return info;
    }

    /** Takes the peer's segment over: the first time, or if the client tells of another one. */
    void attach(ProxyConnection connection, PeerSegments segments, long number) {
        if (number == ticket && peer != null) {
            return;
        }
        PeerSegment taken = segments.take(number);
        if (!taken.info().setup().isOtherEnd(info.setup())) {
            taken.close();
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM Connect request of " + connection
                    + " with the ticket of another connection");
        }
        PeerSegment before = peer;
        peer = taken;
        ticket = number;
        SegmentHeader.attach(peer.memory().segment());
        if (before != null) {
            before.close();
        }
    }

    /** Whether the peer has mapped this rank's segment; then nobody else can any more. */
    boolean isAttached() {
        boolean isAttached = SegmentHeader.isAttached(own.memory().segment());
        if (isAttached) {
            own.seal();
        }
        return isAttached;
    }

    /** Where everything is; each rank polls what lies in its own segment. */
    ShmMap map() {
        ShmMap map = new ShmMap();
        SegmentLayout layout = info.layout();
        SegmentLayout peerLayout = peer.info().layout();
        if (info.setup().direction() == Direction.SEND) {
            map.sendMem(own.memory(), layout.control());
            map.recvMem(peer.memory(), peerLayout.control());
        } else {
            map.sendMem(peer.memory(), peerLayout.control());
            map.recvMem(own.memory(), layout.control());
        }
        for (Protocol protocol : Protocol.values()) {
            map.buffer(protocol, layout.hasBuffers() ? own.memory() : peer.memory(), layout.offset(protocol),
                    layout.buffers().of(protocol));
        }
        return map;
    }

    /** Gives everything back. Idempotent. */
    void free() {
        try {
            own.close();
        } finally {
            if (peer != null) {
                peer.close();
            }
        }
    }
}
