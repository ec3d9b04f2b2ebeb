/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/** A data socket that sends. */
final class SocketSendStream extends SocketStream {
    /** How many idle calls pass between two looks at a socket whose bytes are all under way, less one. */
    private static final int PROBE_MASK = 15;

    private final ByteBuffer probe = ByteBuffer.allocateDirect(1);
    private final SocketCursor before = new SocketCursor();
    private int idleCalls;

    SocketSendStream(int index, SocketWire wire, SocketMessages messages, SocketRedial repair) {
        super(index, wire, messages, repair);
    }

    @Override
    int transfer(ByteBuffer view) throws IOException {
        return wire.write(view);
    }

    /** Bytes that were written may not have arrived when the socket breaks, and only reading tells that it did. */
    @Override
    void idle() throws IOException {
        if (repair != null && (++idleCalls & PROBE_MASK) == 0) {
            wire.read(probe.clear());
        }
    }

    @Override
    int awaitedOps(boolean isBusy) {
        return isBusy ? SelectionKey.OP_WRITE : repair == null ? 0 : SelectionKey.OP_READ;
    }

    @Override
    boolean isRestored() throws IOException {
        before.set(cursor.at, cursor.moved);
        if (!repair.advance(wire, cursor, 0)) {
            return false;
        }
        // The answer may be older than an acknowledgement: the receiver passed by stripes without a chunk for it.
        publishDone();
        long acknowledged = messages.acknowledged();
        if (cursor.at <= acknowledged) {
            cursor.set(acknowledged + 1, 0);
            publishDone();
        }
        if (before.isBefore(cursor.at, cursor.moved) || cursor.moved < 0 || cursor.moved > chunkBytes()) {
            throw new IOException("the peer wants to go on at " + cursor + ", and was sent up to " + before);
        }
        return true;
    }
}
