/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.transport.BufferBytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What client and proxy, and the two ends of a connection, tell each other. All big-endian, all checked.
 *
 * <pre>
 *  Setup request              version int | rank int | remoteRank int | channelId int | connIndex int | direction int
 *                             | segment kind int; or nothing: a connection for registered memory only
 *  Setup response             the connect info
 *  connect info               Setup request | locality int | has buffers int | is copied int | control long | LL,
 *                             LL128, Simple: bytes long each | token long | key long | length of the place int, place
 *  Connect request            a ticket, see Tickets; or nothing
 *  Connect response           see ShmMap
 * </pre>
 */
final class ShmMessages {
    /** Longest name of a socket or file. */
    static final int MAX_PLACE_BYTES = 128;

    private static final int VERSION = 1;
    private static final int SETUP_BYTES = 28;
    private static final int INFO_BYTES = SETUP_BYTES + 12 + 8 + 24 + 8 + 8 + 4;
    private static final int MAX_CHANNELS = 128;

    private ShmMessages() {
    }

    /**
     * Which end of which connection.
     *
     * @param rank       this end
     * @param remoteRank the other end
     * @param channelId  of the communicator
     * @param connIndex  0 collectives, else point-to-point
     * @param direction  seen from this end
     * @param kind       of this end's segment
     */
    record Setup(int rank, int remoteRank, int channelId, int connIndex, Direction direction, SegmentKind kind) {
        ByteBuffer encode() {
            ByteBuffer out = ByteBuffer.allocate(SETUP_BYTES);
            put(out);
            return out.flip();
        }

        static Setup decode(ByteBuffer body) {
            return get(checked(body, SETUP_BYTES, SETUP_BYTES, "Setup request"), "Setup request");
        }

        private void put(ByteBuffer out) {
            out.putInt(VERSION).putInt(rank).putInt(remoteRank).putInt(channelId).putInt(connIndex)
                    .putInt(direction.ordinal()).putInt(kind.ordinal());
        }

        private static Setup get(ByteBuffer in, String what) {
            Setup setup = new Setup(in.getInt(), in.getInt(), in.getInt(), in.getInt(),
                    Direction.values()[index(in.getInt(), Direction.values().length, what)],
                    SegmentKind.values()[index(in.getInt(), SegmentKind.values().length, what)]);
            if (setup.rank < 0 || setup.remoteRank < 0 || setup.channelId < 0 || setup.channelId >= MAX_CHANNELS
                    || setup.connIndex < 0 || setup.kind == SegmentKind.AUTO) {
                throw broken(what + " makes no sense: " + setup);
            }
            return setup;
        }

        /** Whether another end is that of the same connection. */
        boolean isOtherEnd(Setup other) {
            return rank == other.remoteRank && remoteRank == other.rank && channelId == other.channelId
                    && connIndex == other.connIndex && direction != other.direction;
        }
    }

    /**
     * What the peer has to know.
     *
     * @param setup    whose segment it is
     * @param locality whose segment holds the buffers
     * @param isCopied whether this end's proxy copies
     * @param layout   of the segment
     * @param token    that stands in its header
     * @param address  where it is found
     */
    record ConnectInfo(Setup setup, int locality, boolean isCopied, SegmentLayout layout, long token,
            SegmentAddress address) {
        void encode(ByteBuffer out) {
            setup.put(out);
            BufferBytes buffers = layout.buffers();
            byte[] place = address.place().getBytes(StandardCharsets.UTF_8);
            out.putInt(locality).putInt(layout.hasBuffers() ? 1 : 0).putInt(isCopied ? 1 : 0)
                    .putLong(layout.control()).putLong(buffers.ll()).putLong(buffers.ll128())
                    .putLong(buffers.simple()).putLong(token).putLong(address.key()).putInt(place.length).put(place);
        }

        static ConnectInfo decode(ByteBuffer body, String what) {
            ByteBuffer in = checked(body, INFO_BYTES, INFO_BYTES + MAX_PLACE_BYTES, what);
            Setup setup = Setup.get(in, what);
            int locality = in.getInt();
            boolean hasBuffers = index(in.getInt(), 2, what) == 1;
            boolean isCopied = index(in.getInt(), 2, what) == 1;
            SegmentLayout layout = new SegmentLayout(in.getLong(), hasBuffers,
                    new BufferBytes(in.getLong(), in.getLong(), in.getLong()));
            long token = in.getLong();
            long key = in.getLong();
            if (in.getInt() != in.remaining()) {
                throw broken(what + " has a place of another length than it says");
            }
            String place = StandardCharsets.UTF_8.decode(in).toString();
            if (!layout.isSound()) {
                throw broken(what + " has a layout that cannot be: " + layout);
            }
            return new ConnectInfo(setup, locality, isCopied, layout, token,
                    new SegmentAddress(setup.kind, place, key));
        }
    }

    private static int index(int value, int end, String what) {
        if (value < 0 || value >= end) {
            throw broken(what + " has " + value + " where a number below " + end + " belongs");
        }
        return value;
    }

    private static ByteBuffer checked(ByteBuffer body, int minBytes, int maxBytes, String what) {
        ByteBuffer in = body.slice();
        if (in.remaining() < minBytes || in.remaining() > maxBytes) {
            throw broken(what + " of " + in.remaining() + " bytes instead of " + minBytes + " to " + maxBytes);
        }
        int version = in.getInt();
        if (version != VERSION) {
            throw broken(what + " of version " + version + " instead of " + VERSION);
        }
        return in;
    }

    private static ProxyException broken(String what) {
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "SHM " + what);
    }
}
