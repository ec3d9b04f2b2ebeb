/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.UUID;

/** A control connection. One thread at a time. */
public final class ControlSocket implements AutoCloseable {
    /** Bytes of a proof. */
    public static final int PROOF_BYTES = SocketToken.PROOF_BYTES;
    private static final int SESSION_BYTES = 16;

    private final SocketChannel channel;
    private final int rank;
    private final String peer;
    private final UUID session;
    private final SocketToken token;

    ControlSocket(SocketChannel channel, int rank, String peer, UUID session, SocketToken token) {
        this.channel = channel;
        this.rank = rank;
        this.peer = peer;
        this.session = session;
        this.token = token;
    }

    /**
     * The socket.
     *
     * @return connected, and does not block
     */
    public SocketChannel channel() {
        return channel;
    }

    /**
     * Whose the other end is.
     *
     * @return as the peer says
     */
    public int rank() {
        return rank;
    }

    /**
     * The other end, for people.
     *
     * @return rank and address
     */
    public String peer() {
        return peer;
    }

    /**
     * The proof that a message of this connection comes from a holder of the handle.
     *
     * @param message from position to limit; stays as it is
     * @return {@link #PROOF_BYTES}
     */
    public byte[] proof(ByteBuffer message) {
        return token.proofOf(ofSession(message), SESSION_BYTES + message.remaining());
    }

    /**
     * Checks a proof, in a time that does not depend on where it is wrong.
     *
     * @param message from position to limit; stays as it is
     * @param proof   not to be trusted
     * @return true if it is this message's, and of this connection
     */
    public boolean isProof(ByteBuffer message, byte[] proof) {
        return token.isProofOf(ofSession(message), SESSION_BYTES + message.remaining(), proof);
    }

    private ByteBuffer ofSession(ByteBuffer message) {
        return ByteBuffer.allocate(SESSION_BYTES + message.remaining()).putLong(session.getMostSignificantBits())
                .putLong(session.getLeastSignificantBits()).put(message.duplicate()).flip();
    }

    /** Closes the socket. Idempotent. */
    @Override
    public void close() {
        SocketChannels.close(channel);
    }
}
