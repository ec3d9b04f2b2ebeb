/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import io.proxyrt.core.transport.BufferBytes;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.core.transport.MessageChecks;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What client and proxy, and the two ends of a connection, tell each other. All big-endian, all checked.
 *
 * <pre>
 *  Setup request              version int | the end, see ConnectorEnd | segment kind int; or nothing: a connection
 *                             for registered memory only
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
    private static final MessageChecks CHECKS = new MessageChecks("SHM", VERSION);
    private static final int SETUP_BYTES = 4 + ConnectorEnd.BYTES + 4;
    private static final int INFO_BYTES = SETUP_BYTES + 12 + 8 + 24 + 8 + 8 + 4;

    private ShmMessages() {
    }

    /**
     * One end of a connection.
     *
     * @param end  which
     * @param kind of this end's segment
     */
    record Setup(ConnectorEnd end, SegmentKind kind) {
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
            out.putInt(kind.ordinal());
        }

        private static Setup get(ByteBuffer in, String what) {
            Setup setup = new Setup(ConnectorEnd.get(in, CHECKS, what),
                    SegmentKind.values()[CHECKS.index(in.getInt(), SegmentKind.values().length, what)]);
            if (setup.kind == SegmentKind.AUTO) {
                throw CHECKS.broken(what + " names no kind of segment: " + setup);
            }
            return setup;
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
            ByteBuffer in = CHECKS.begin(body, INFO_BYTES, INFO_BYTES + MAX_PLACE_BYTES, what);
            Setup setup = Setup.get(in, what);
            int locality = in.getInt();
            boolean hasBuffers = CHECKS.index(in.getInt(), 2, what) == 1;
            boolean isCopied = CHECKS.index(in.getInt(), 2, what) == 1;
            SegmentLayout layout = new SegmentLayout(in.getLong(), hasBuffers,
                    new BufferBytes(in.getLong(), in.getLong(), in.getLong()));
            long token = in.getLong();
            long key = in.getLong();
            if (in.getInt() != in.remaining()) {
                throw CHECKS.broken(what + " has a place of another length than it says");
            }
            String place = StandardCharsets.UTF_8.decode(in).toString();
            if (!layout.isSound()) {
                throw CHECKS.broken(what + " has a layout that cannot be: " + layout);
            }
            return new ConnectInfo(setup, locality, isCopied, layout, token,
                    new SegmentAddress(setup.kind, place, key));
        }
    }
}
