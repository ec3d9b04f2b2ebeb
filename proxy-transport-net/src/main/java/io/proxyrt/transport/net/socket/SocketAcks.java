/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads the receiver's acknowledgements: longs, the last of which counts. */
final class SocketAcks {
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * SocketFrame.ACK_BYTES);

    /** Returns the newest acknowledgement, or the one known before if none came. */
    long read(SocketWire wire, long known) throws IOException {
        if (wire.read(buffer) == 0) {
            return known;
        }
        int whole = buffer.position() / SocketFrame.ACK_BYTES * SocketFrame.ACK_BYTES;
        long newest = whole == 0 ? known : buffer.getLong(whole - SocketFrame.ACK_BYTES);
        buffer.flip().position(whole);
        buffer.compact();
        return newest;
    }

    /** Forgets part of one, which a socket brought that broke. */
    void clear() {
        buffer.clear();
    }
}
