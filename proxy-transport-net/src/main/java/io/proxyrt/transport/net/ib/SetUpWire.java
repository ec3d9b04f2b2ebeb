/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.ib;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import io.proxyrt.core.agent.Uninterruptibly;
import io.proxyrt.transport.net.socket.ControlSocket;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Messages of a control connection while the connection is set up. Each carries the proof of a holder of the listener's
 * token, over the session, the message's label and what it says: so none can be changed, or used elsewhere. Blocks, up
 * to a deadline; a thread of one attempt.
 *
 * <pre>
 *   0       4        8
 *  +-------+--------+----------+------------------+
 *  | label | length | contents | proof, 32 bytes  |
 *  +-------+--------+----------+------------------+
 * </pre>
 */
final class SetUpWire {
    /** The sender's end. */
    static final int OFFER = 1;
    /** The receiver's end. */
    static final int ANSWER = 2;
    /** The sender can receive what the receiver writes. */
    static final int READY = 3;
    /** The receiver cannot be had, and says why. */
    static final int REFUSAL = 4;

    private static final int HEADER_BYTES = 8;
    private static final int MAX_REFUSAL_BYTES = 512;
    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private final ControlSocket socket;
    private final BooleanSupplier isCancelled;
    private final long deadlineNs;

    SetUpWire(ControlSocket socket, BooleanSupplier isCancelled, long deadlineNs) {
        this.socket = socket;
        this.isCancelled = isCancelled;
        this.deadlineNs = deadlineNs;
    }

    void send(int label, ByteBuffer contents) {
        ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + contents.remaining()).putInt(label)
                .putInt(contents.remaining()).put(contents).flip();
        ByteBuffer out = ByteBuffer.allocate(message.remaining() + ControlSocket.PROOF_BYTES)
                .put(message.duplicate()).put(socket.proof(message)).flip();
        try {
            while (out.hasRemaining()) {
                if (socket.channel().write(out) == 0) {
                    pause();
                }
            }
        } catch (IOException e) {
            throw broke(e);
        }
    }

    /** Tells why, as far as the peer still listens. */
    void refuse(String why) {
        byte[] text = why.getBytes(StandardCharsets.UTF_8);
        send(REFUSAL, ByteBuffer.wrap(text, 0, Math.min(text.length, MAX_REFUSAL_BYTES)));
    }

    /** Waits for a message. */
    ByteBuffer receive(int label) {
        ByteBuffer header = read(HEADER_BYTES);
        int found = header.getInt(0);
        int length = header.getInt(4);
        if (found != label && found != REFUSAL || length < 0 || length > EndInfo.MAX_BYTES) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, socket.peer() + " sent message " + found + " of "
                    + length + " bytes where " + label + " was due");
        }
        ByteBuffer rest = read(length + ControlSocket.PROOF_BYTES);
        ByteBuffer contents = rest.slice(0, length);
        byte[] proof = new byte[ControlSocket.PROOF_BYTES];
        rest.get(length, proof);
        ByteBuffer message = ByteBuffer.allocate(HEADER_BYTES + length).put(header).put(contents.duplicate()).flip();
        if (!socket.isProof(message, proof)) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, socket.peer() + " sent a message without its proof");
        }
        if (found == REFUSAL) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, socket.peer() + " refuses: "
                    + PeerText.line(StandardCharsets.UTF_8.decode(contents).toString()));
        }
        return contents;
    }

    private ByteBuffer read(int bytes) {
        ByteBuffer in = ByteBuffer.allocate(bytes);
        try {
            while (in.hasRemaining()) {
                int read = socket.channel().read(in);
                if (read < 0) {
                    throw new EOFException("it was closed by the peer");
                }
                if (read == 0) {
                    pause();
                }
            }
        } catch (IOException e) {
            throw broke(e);
        }
        return in.flip();
    }

    /** Between two looks, or two attempts at the same thing. */
    void pause(long ns) {
        Uninterruptibly.parkNanos(Math.min(ns, Math.max(POLL_NS, deadlineNs - System.nanoTime())));
        if (isCancelled.getAsBoolean()) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "setting up with " + socket.peer() + " was given up");
        }
        if (System.nanoTime() - deadlineNs >= 0) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, "setting up with " + socket.peer()
                    + " took longer than proxyrt.connect.timeout allows");
        }
    }

    private void pause() {
        pause(POLL_NS);
    }

    private ProxyException broke(IOException e) {
        return new ProxyException(ProxyResult.REMOTE_ERROR, "the control connection with " + socket.peer()
                + " broke while queue pairs were set up: " + e.getMessage(), e);
    }
}
