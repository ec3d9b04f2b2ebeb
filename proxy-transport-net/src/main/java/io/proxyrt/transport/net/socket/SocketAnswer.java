/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * What a receiver answers: on the control socket of a new connection that it took it, and on a socket that was dialled
 * again how far it is. The proof is HMAC-SHA256 with the listener's token over what is before it, so that no one else
 * can answer.
 *
 * <pre>
 *   0                   8
 *  +-------------------+
 *  | magic             |
 *  +-------------------+
 *  8| session, 16 bytes |
 *  |                   |
 *  +---------+---------+
 * 24| index   | attempt |   as in the hello
 *  +---------+---------+
 * 32| at                |   message, or on a data socket stripe, that comes next or goes on
 *  +-------------------+
 * 40| moved             |   bytes of it that are in place
 *  +-------------------+
 * 48| complete          |   the last message that is complete, which is acknowledged by this
 *  +-------------------+
 * 56| proof, 32 bytes   |
 *  +-- 88 -------------+
 * </pre>
 */
final class SocketAnswer {
    static final int BYTES = 88;
    private static final int PROVEN_BYTES = BYTES - SocketToken.PROOF_BYTES;

    private SocketAnswer() {
    }

    static ByteBuffer encode(SocketSession session, int index, int attempt, SocketCursor cursor, long complete) {
        ByteBuffer out = begin(session.id(), index, attempt).putLong(cursor.at).putLong(cursor.moved)
                .putLong(complete);
        return out.put(session.token().proofOf(out, PROVEN_BYTES)).flip();
    }

    /** Whether a whole answer is to this hello, and from the holder of the token. */
    static boolean isSound(ByteBuffer received, SocketSession session, int index, int attempt) {
        ByteBuffer expected = begin(session.id(), index, attempt).flip();
        byte[] proof = new byte[SocketToken.PROOF_BYTES];
        received.get(PROVEN_BYTES, proof);
        return received.slice(0, expected.remaining()).equals(expected)
                && session.token().isProofOf(received, PROVEN_BYTES, proof);
    }

    static long at(ByteBuffer received) {
        return received.getLong(32);
    }

    static long moved(ByteBuffer received) {
        return received.getLong(40);
    }

    static long complete(ByteBuffer received) {
        return received.getLong(48);
    }

    private static ByteBuffer begin(UUID session, int index, int attempt) {
        return ByteBuffer.allocateDirect(BYTES).putLong(SocketHandle.MAGIC)
                .putLong(session.getMostSignificantBits()).putLong(session.getLeastSignificantBits())
                .putInt(index).putInt(attempt);
    }
}
