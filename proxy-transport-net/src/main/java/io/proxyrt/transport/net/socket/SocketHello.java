/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.ByteBuffer;

/**
 * A connector's first bytes.
 *
 * <pre>
 *  magic long | version int | rank int | token long
 * </pre>
 */
final class SocketHello {
    static final int BYTES = 24;

    private SocketHello() {
    }

    static ByteBuffer encode(int rank, long token) {
        return ByteBuffer.allocateDirect(BYTES).putLong(SocketHandle.MAGIC).putInt(SocketHandle.VERSION).putInt(rank)
                .putLong(token).flip();
    }

    /** Why these bytes are no hello to the holder of a token, as far as they are there; empty if nothing is wrong. */
    static String whyNot(ByteBuffer received, long token) {
        int bytes = received.position();
        if (bytes >= 8 && received.getLong(0) != SocketHandle.MAGIC) {
            return "it speaks another protocol";
        }
        if (bytes >= 12 && received.getInt(8) != SocketHandle.VERSION) {
            return "it speaks version " + received.getInt(8) + ", not " + SocketHandle.VERSION;
        }
        return bytes == BYTES && received.getLong(16) != token ? "it has the wrong token" : "";
    }

    static int rank(ByteBuffer received) {
        return received.getInt(12);
    }
}
