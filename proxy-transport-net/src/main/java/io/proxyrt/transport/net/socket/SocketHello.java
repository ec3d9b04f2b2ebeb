/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * A connector's first bytes on each socket. The proof is HMAC-SHA256 over what is before it, with the listener's token
 * as the key; so the place of a socket and its attempt can't be changed, and a hello that was overheard is of no use
 * for another place. The same hello twice is refused by its place: taken, or of an attempt that is not newer.
 *
 * <pre>
 *   0                   8
 *  +-------------------+
 *  | magic             |
 *  +---------+---------+
 *  8| version | rank    |   of the connector
 *  +---------+---------+
 * 16| session, 16 bytes |   random, one for each connection
 *  |                   |
 *  +---------+---------+
 * 32| index   | sockets |   index 0 to sockets - 1: data, index sockets: control
 *  +---------+---------+
 * 40| flags   | attempt |   attempt 0: a new connection; else a broken one goes on
 *  +---------+---------+
 * 48| proof, 32 bytes   |
 *  +-- 80 -------------+
 * </pre>
 *
 * @param rank    of the connector
 * @param session that the socket belongs to
 * @param index   of the socket
 * @param terms   the connector's: the listener's sockets and chunk, and flags as they hold; chunk is not sent
 * @param attempt how often this socket was dialled again
 */
record SocketHello(int rank, UUID session, int index, SocketTerms terms, int attempt) {
    static final int BYTES = 80;
    private static final int PROVEN_BYTES = BYTES - SocketToken.PROOF_BYTES;

    ByteBuffer encode(SocketToken token) {
        ByteBuffer out = ByteBuffer.allocateDirect(BYTES).putLong(SocketHandle.MAGIC).putInt(SocketHandle.VERSION)
                .putInt(rank).putLong(session.getMostSignificantBits()).putLong(session.getLeastSignificantBits())
                .putInt(index).putInt(terms.sockets()).putInt(terms.flags()).putInt(attempt);
        return out.put(token.proofOf(out, PROVEN_BYTES)).flip();
    }

    /** Why these bytes are no hello, as far as they are there; empty if nothing is wrong yet. */
    static String whyNot(ByteBuffer received) {
        int bytes = received.position();
        if (bytes >= 8 && received.getLong(0) != SocketHandle.MAGIC) {
            return "it speaks another protocol";
        }
        if (bytes >= 12 && received.getInt(8) != SocketHandle.VERSION) {
            return "it speaks version " + received.getInt(8) + ", not " + SocketHandle.VERSION;
        }
        return "";
    }

    /** Whether a whole hello was made by a holder of the token. */
    static boolean isProven(ByteBuffer received, SocketToken token) {
        byte[] proof = new byte[SocketToken.PROOF_BYTES];
        received.get(PROVEN_BYTES, proof);
        return token.isProofOf(received, PROVEN_BYTES, proof);
    }

    /** Reads a whole hello; chunkBytes is the listener's. */
    static SocketHello decode(ByteBuffer received, int chunkBytes) {
        return new SocketHello(received.getInt(12), session(received), received.getInt(32),
                new SocketTerms(received.getInt(36), chunkBytes, received.getInt(40)), received.getInt(44));
    }

    static UUID session(ByteBuffer received) {
        return new UUID(received.getLong(16), received.getLong(24));
    }
}
