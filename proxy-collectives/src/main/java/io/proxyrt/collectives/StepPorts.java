/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.core.Protocol;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import java.time.Duration;

/**
 * Connections with other ranks over which collectives go that do not go by rings, one after the other. All ranks cut a
 * collective alike, by the steps of the rings: so all these have the same.
 */
final class StepPorts {
    private final RingSetup setup;
    private final PeerPorts ports;
    private final Ring ring;
    private final int laneCapacity;

    /** Of a channel behind those of the rings, of which this is one. */
    StepPorts(CommunicatorParts parts, int channel) {
        this.setup = parts.setup;
        this.ports = new PeerPorts(setup, channel, 0);
        this.ring = parts.rings[0];
        this.laneCapacity = parts.poster.capacity();
    }

    PeerPorts.Pair pair(int peer) {
        return ports.pair(peer);
    }

    /** Of all of them. */
    long stepBytes(Protocol protocol) {
        return ring.stepBytes(protocol);
    }

    /** Connects with these ranks, as far as that was not done, for collectives of so many ops at most. */
    void connect(Duration timeout, int mostOps, int... peers) {
        if (mostOps > laneCapacity) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + setup.rank() + ": a collective would have "
                    + mostOps + " ops, and " + laneCapacity + " can be posted at once; raise "
                    + CoreOptions.LANE_CAPACITY + ", or set " + CollectivesOptions.ALGORITHM + " to ring");
        }
        ports.connect(timeout, peers);
        for (int peer : peers) {
            requireSteps(peer, ports.pair(peer));
        }
    }

    private void requireSteps(int peer, PeerPorts.Pair pair) {
        for (Protocol protocol : Protocol.values()) {
            long bytes = pair.stepBytes(protocol);
            if (bytes != ring.stepBytes(protocol)) {
                throw new ProxyException(ProxyResult.INVALID_USAGE, "rank " + setup.rank() + ": " + protocol
                        + " steps have " + bytes + " bytes to rank " + peer + " and " + ring.stepBytes(protocol)
                        + " in a ring: where transports take turns, set their buffers alike, also"
                        + " p2p.memcpy.buffer.bytes, or set " + CollectivesOptions.ALGORITHM + " to ring");
            }
        }
    }
}
