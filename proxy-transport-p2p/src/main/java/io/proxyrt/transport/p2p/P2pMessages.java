/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import io.proxyrt.core.transport.BufferBytes;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.MessageChecks;
import java.nio.ByteBuffer;

/**
 * What client and proxy, and the two ends of a connection, tell each other. All big-endian, all checked.
 *
 * <pre>
 *  Setup request     version int | the end, see ConnectorEnd | way short | is relayed short; or nothing: a connection
 *                    for registered memory only
 *  Setup response    the connect info
 *  connect info      Setup request | is read byte, is copied byte, 0 short | LL int, LL128 int, Simple int: bytes
 *                    | key long | length of the text int, text
 *  Connect request   a ticket, see Tickets; or nothing
 *  Connect response  version int | connection long; or nothing
 * </pre>
 */
final class P2pMessages {
    private static final int SETUP_BYTES = 4 + ConnectorEnd.BYTES + 4;
    static final int MAX_INFO_BYTES = SETUP_BYTES + 16 + 8 + 4 + MemoryName.MAX_TEXT_BYTES;

    private static final int VERSION = 1;
    private static final MessageChecks CHECKS = new MessageChecks("P2P", VERSION);
    private static final int INFO_BYTES = MAX_INFO_BYTES - MemoryName.MAX_TEXT_BYTES;
    private static final int CONNECTED_BYTES = 12;

    private P2pMessages() {
    }

    /**
     * One end of a connection.
     *
     * @param end       which
     * @param way       that this end's memory goes
     * @param isRelayed whether it is a third device's
     */
    record Setup(ConnectorEnd end, P2pWay way, boolean isRelayed) {
        ByteBuffer encode() {
            ByteBuffer out = ByteBuffer.allocate(SETUP_BYTES);
            put(out);
            return out.flip();
        }

        static Setup decode(ByteBuffer body) {
            return get(CHECKS.begin(body, SETUP_BYTES, SETUP_BYTES, "Setup request"), "Setup request");
        }

        private void put(ByteBuffer out) {
            end.put(out.putInt(VERSION));
            out.putShort((short) way.ordinal()).putShort((short) (isRelayed ? 1 : 0));
        }

        private static Setup get(ByteBuffer in, String what) {
            Setup setup = new Setup(ConnectorEnd.get(in, CHECKS, what),
                    P2pWay.values()[CHECKS.index(in.getShort(), P2pWay.values().length, what)],
                    CHECKS.index(in.getShort(), 2, what) == 1);
            if (setup.way == P2pWay.AUTO) {
                throw CHECKS.broken(what + " names no way for memory: " + setup);
            }
            return setup;
        }
    }

    /**
     * What the peer has to know.
     *
     * @param setup  whose memory it is
     * @param layout of the memory
     * @param name   by which it is found
     */
    record ConnectInfo(Setup setup, EndLayout layout, MemoryName name) {
        void encode(ByteBuffer out) {
            setup.put(out);
            out.put((byte) (layout.isRead() ? 1 : 0)).put((byte) (layout.isCopied() ? 1 : 0)).putShort((short) 0)
                    .putInt((int) layout.buffers().ll()).putInt((int) layout.buffers().ll128())
                    .putInt((int) layout.buffers().simple()).putLong(name.key()).putInt(name.text().length)
                    .put(name.text());
        }

        static ConnectInfo decode(ByteBuffer body, String what) {
            ByteBuffer in = CHECKS.begin(body, INFO_BYTES, MAX_INFO_BYTES, what);
            Setup setup = Setup.get(in, what);
            boolean isRead = CHECKS.index(in.get(), 2, what) == 1;
            boolean isCopied = CHECKS.index(in.get(), 2, what) == 1;
            int zero = in.getShort();
            BufferBytes buffers = new BufferBytes(in.getInt(), in.getInt(), in.getInt());
            long key = in.getLong();
            if (in.getInt() != in.remaining() || zero != 0) {
                throw CHECKS.broken(what + " has a name of another length than it says");
            }
            byte[] text = new byte[in.remaining()];
            in.get(text);
            if (!buffers.isSound() || isRead && isCopied) {
                throw CHECKS.broken(what + " has a layout that cannot be: " + buffers);
            }
            return new ConnectInfo(setup, new EndLayout(setup.end().direction(), isRead, isCopied, buffers),
                    new MemoryName(key, text));
        }
    }

    static void encodeConnected(ByteBuffer out, long connectionId) {
        out.putInt(VERSION).putLong(connectionId);
    }

    static long connected(ByteBuffer body) {
        return CHECKS.begin(body, CONNECTED_BYTES, CONNECTED_BYTES, "Connect response").getLong();
    }
}
