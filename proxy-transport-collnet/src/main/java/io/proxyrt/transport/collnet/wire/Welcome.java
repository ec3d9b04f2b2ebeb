/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/**
 * A switch's answer to a side that has proven itself.
 *
 * @param proof   the switch's
 * @param refusal why it does not take the other side in; empty if it does
 */
public record Welcome(byte[] proof, String refusal) {
    private static final byte ADMITTED = 0;
    private static final byte REFUSED = 1;
    private static final int VERDICT_AT = WireDescriptor.PROOF_BYTES;
    private static final int HEAD_BYTES = VERDICT_AT + 1 + Short.BYTES;

    /**
     * How long a welcome is.
     *
     * @param received from 0 to its position
     * @return bytes, as far as is known yet
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is none
     */
    public static int bytes(ByteBuffer received) {
        return received.position() < HEAD_BYTES ? HEAD_BYTES
                : HEAD_BYTES + WireText.length(received, VERDICT_AT + 1, WireDescriptor.MAX_TEXT_BYTES);
    }

    /**
     * Reads a whole one.
     *
     * @param received from 0 to its position
     * @return the frame; nothing of it is to be believed before its proof is checked
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is none
     */
    public static Welcome decode(ByteBuffer received) {
        final byte[] proof = new byte[WireDescriptor.PROOF_BYTES];
        received.get(0, proof);
        final byte verdict = received.get(VERDICT_AT);
        if (verdict != ADMITTED && verdict != REFUSED) {
            throw WireDescriptor.malformed("a welcome with verdict " + verdict);
        }
        final String text = WireText.decode(received, HEAD_BYTES, bytes(received) - HEAD_BYTES);
        if (verdict == ADMITTED) {
            return new Welcome(proof, "");
        }
        return new Welcome(proof, text.isEmpty() ? "it does not say why" : text);
    }

    /**
     * What follows the proof, which is over it, too.
     *
     * @param refusal why the other side is not taken in; empty if it is
     * @return a new buffer
     */
    static ByteBuffer verdict(String refusal) {
        final byte[] text = WireText.encode(refusal, WireDescriptor.MAX_TEXT_BYTES);
        return ByteBuffer.allocate(HEAD_BYTES - VERDICT_AT + text.length).put(refusal.isEmpty() ? ADMITTED : REFUSED)
                .putShort((short) text.length).put(text).flip();
    }

    /**
     * The same of a whole welcome.
     *
     * @param received from 0 to its position
     * @return a view of its bytes
     */
    static ByteBuffer verdict(ByteBuffer received) {
        return received.slice(VERDICT_AT, received.position() - VERDICT_AT);
    }

    /**
     * Writes it.
     *
     * @return a new buffer, to be sent
     */
    public ByteBuffer encode() {
        final ByteBuffer verdict = verdict(refusal);
        return ByteBuffer.allocate(proof.length + verdict.remaining()).put(proof).put(verdict).flip();
    }
}
