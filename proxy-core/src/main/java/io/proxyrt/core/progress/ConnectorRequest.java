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
 */
public record ConnectorRequest(Direction direction, PeerInfo self, PeerInfo peer, int channelId, int connIndex) {
    @Override
    public String toString() {
        return (direction == Direction.SEND ? "send to " : "receive from ")
                + (peer.isNetwork() ? "the network" : "rank " + peer.rank()) + ", channel " + channelId;
    }
}
