/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.transport;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.progress.ConnectorRequest;
import java.nio.ByteBuffer;

/**
 * Which end of which connection.
 *
 * @param rank       this end
 * @param remoteRank the other end
 * @param channelId  of the communicator
 * @param connIndex  0 collectives, else point-to-point
 * @param direction  seen from this end
 */
public record ConnectorEnd(int rank, int remoteRank, int channelId, int connIndex, Direction direction) {
    /** As {@link #put} writes it. */
    public static final int BYTES = 20;

    /** Of a communicator: RCCL's MAXCHANNELS. */
    public static final int MAX_CHANNELS = 128;
    /** Of connections: those of 64 rings, and more than as many for what goes besides, by steps, nodes and files. */
    public static final int MAX_CHANNEL_IDS = 256;

    /**
     * This rank's.
     *
     * @param request of a connector
     * @return its end
     */
    public static ConnectorEnd of(ConnectorRequest request) {
        return new ConnectorEnd(request.self().rank(), request.peer().rank(), request.channelId(),
                request.connIndex(), request.direction());
    }

    /**
     * Writes it.
     *
     * @param out rank int, remoteRank int, channelId int, connIndex int, direction int
     */
    public void put(ByteBuffer out) {
        out.putInt(rank).putInt(remoteRank).putInt(channelId).putInt(connIndex).putInt(direction.ordinal());
    }

    /**
     * Undoes {@link #put}.
     *
     * @param in     not to be trusted, of {@link #BYTES} at least
     * @param checks of the transport
     * @param what   it is read from
     * @return which end
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if there can be none such
     */
    public static ConnectorEnd get(ByteBuffer in, MessageChecks checks, String what) {
        ConnectorEnd end = new ConnectorEnd(in.getInt(), in.getInt(), in.getInt(), in.getInt(),
                Direction.values()[checks.index(in.getInt(), Direction.values().length, what)]);
        if (end.rank < 0 || end.remoteRank < 0 || end.connIndex < 0) {
            throw checks.broken(what + " has a negative number: " + end);
        }
        checks.index(end.channelId, MAX_CHANNEL_IDS, what);
        return end;
    }

    /**
     * Whether another end is that of the same connection.
     *
     * @param other as the other rank says
     * @return true if it is
     */
    public boolean isOtherEnd(ConnectorEnd other) {
        return rank == other.remoteRank && remoteRank == other.rank && channelId == other.channelId
                && connIndex == other.connIndex && direction != other.direction;
    }
}
