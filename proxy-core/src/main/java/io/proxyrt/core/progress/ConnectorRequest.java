/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.Direction;

/**
 * Which connection a rank wants.
 *
 * @param direction which way data flows, seen from this rank
 * @param self      this rank
 * @param peer      the other end
 * @param channelId of the communicator, from 0
 * @param connIndex 0 for collectives, 1 for point-to-point
 * @param adapter   that this end takes, a number in {@link io.proxyrt.core.runtime.ProxyState#adapters()}, or to the
 *                  network in {@link io.proxyrt.core.runtime.Connector#adapters()}; or {@link #ANY_ADAPTER}. Other
 *                  transports do not look at it
 */
public record ConnectorRequest(Direction direction, PeerInfo self, PeerInfo peer, int channelId, int connIndex,
        int adapter) {
    /** The transport chooses. */
    public static final int ANY_ADAPTER = -1;

    /**
     * By an adapter that the transport chooses.
     *
     * @param direction which way data flows, seen from this rank
     * @param self      this rank
     * @param peer      the other end
     * @param channelId of the communicator, from 0
     * @param connIndex 0 for collectives, 1 for point-to-point
     */
    public ConnectorRequest(Direction direction, PeerInfo self, PeerInfo peer, int channelId, int connIndex) {
        this(direction, self, peer, channelId, connIndex, ANY_ADAPTER);
    }

    /**
     * The same by another adapter.
     *
     * @param other a number, or {@link #ANY_ADAPTER}
     * @return another request
     */
    public ConnectorRequest by(int other) {
        return new ConnectorRequest(direction, self, peer, channelId, connIndex, other);
    }

    @Override
    public String toString() {
        return (direction == Direction.SEND ? "send to " : "receive from ")
                + (peer.isNetwork() ? "the network" : "rank " + peer.rank()) + ", channel " + channelId;
    }
}
