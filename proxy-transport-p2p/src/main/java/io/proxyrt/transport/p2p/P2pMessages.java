/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.transport.BufferBytes;
import java.nio.ByteBuffer;

/**
 * What client and proxy, and the two ends of a connection, tell each other. All big-endian, all checked.
 *
 * <pre>
 *  Setup request     version int | rank int | remoteRank int | channelId int | connIndex int | direction byte
 *                    | way byte | is relayed byte | 0 byte; or nothing: a connection for registered memory only
 *  Setup response    the connect info
 *  connect info      Setup request | is read byte, is copied byte, 0 short | LL int, LL128 int, Simple int: bytes
 *                    | key long | length of the text int, text
 *  Connect request   a ticket, see Tickets; or nothing
 *  Connect response  version int | connection long; or nothing
 * </pre>
 */
final class P2pMessages {
    static final int MAX_INFO_BYTES = 24 + 16 + 8 + 4 + MemoryName.MAX_TEXT_BYTES;

    private static final int VERSION = 1;
    private static final int END_BYTES = 24;
    private static final int INFO_BYTES = MAX_INFO_BYTES - MemoryName.MAX_TEXT_BYTES;
    private static final int CONNECTED_BYTES = 12;
    private static final int MAX_CHANNELS = 128;

    private P2pMessages() {
    }

    /**
     * One end of a connection.
     *
     * @param rank       this end
     * @param remoteRank the other end
     * @param channelId  of the communicator
     * @param connIndex  0 collectives, else point-to-point
     * @param direction  seen from this end
     * @param way        that this end's memory goes
     * @param isRelayed  whether it is a third device's
     */
    record End(int rank, int remoteRank, int channelId, int connIndex, Direction direction, P2pWay way,
            boolean isRelayed) {
        ByteBuffer encode() {
            ByteBuffer out = ByteBuffer.allocate(END_BYTES);
            put(out);
            return out.flip();
        }

        static End decode(ByteBuffer body) {
            return get(checked(body, END_BYTES, END_BYTES, "Setup request"), "Setup request");
        }

        private void put(ByteBuffer out) {
            out.putInt(VERSION).putInt(rank).putInt(remoteRank).putInt(channelId).putInt(connIndex)
                    .put((byte) direction.ordinal()).put((byte) way.ordinal()).put((byte) (isRelayed ? 1 : 0))
                    .put((byte) 0);
        }

        private static End get(ByteBuffer in, String what) {
            End end = new End(in.getInt(), in.getInt(), in.getInt(), in.getInt(),
                    Direction.values()[index(in.get(), Direction.values().length, what)],
                    P2pWay.values()[index(in.get(), P2pWay.values().length, what)], index(in.get(), 2, what) == 1);
            if (end.rank < 0 || end.remoteRank < 0 || end.channelId < 0 || end.channelId >= MAX_CHANNELS
                    || end.connIndex < 0 || end.way == P2pWay.AUTO || in.get() != 0) {
                throw broken(what + " makes no sense: " + end);
            }
            return end;
        }

        /** Whether another end is that of the same connection. */
        boolean isOtherEnd(End other) {
            return rank == other.remoteRank && remoteRank == other.rank && channelId == other.channelId
                    && connIndex == other.connIndex && direction != other.direction;
        }
    }

    /**
     * What the peer has to know.
     *
     * @param end    whose memory it is
     * @param layout of the memory
     * @param name   by which it is found
     */
    record ConnectInfo(End end, EndLayout layout, MemoryName name) {
        void encode(ByteBuffer out) {
            end.put(out);
            out.put((byte) (layout.isRead() ? 1 : 0)).put((byte) (layout.isCopied() ? 1 : 0)).putShort((short) 0)
                    .putInt((int) layout.buffers().ll()).putInt((int) layout.buffers().ll128())
                    .putInt((int) layout.buffers().simple()).putLong(name.key()).putInt(name.text().length)
                    .put(name.text());
        }

        static ConnectInfo decode(ByteBuffer body, String what) {
            ByteBuffer in = checked(body, INFO_BYTES, MAX_INFO_BYTES, what);
            End end = End.get(in, what);
            boolean isRead = index(in.get(), 2, what) == 1;
            boolean isCopied = index(in.get(), 2, what) == 1;
            int zero = in.getShort();
            BufferBytes buffers = new BufferBytes(in.getInt(), in.getInt(), in.getInt());
            long key = in.getLong();
            if (in.getInt() != in.remaining() || zero != 0) {
                throw broken(what + " has a name of another length than it says");
            }
            byte[] text = new byte[in.remaining()];
            in.get(text);
            if (!buffers.isSound() || isRead && isCopied) {
                throw broken(what + " has a layout that cannot be: " + buffers);
            }
            return new ConnectInfo(end, new EndLayout(end.direction(), isRead, isCopied, buffers),
                    new MemoryName(key, text));
        }
    }

    static void encodeConnected(ByteBuffer out, long connectionId) {
        out.putInt(VERSION).putLong(connectionId);
    }

    static long connected(ByteBuffer body) {
        return checked(body, CONNECTED_BYTES, CONNECTED_BYTES, "Connect response").getLong();
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
        return new ProxyException(ProxyResult.INVALID_ARGUMENT, "P2P " + what);
    }
}
