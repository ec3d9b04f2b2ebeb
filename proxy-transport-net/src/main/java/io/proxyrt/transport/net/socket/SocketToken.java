/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.socket;

import io.proxyrt.core.platform.HmacKey;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/** A listener's secret: 128 random bits that prove who was given the handle. Never sent over a socket itself. */
final class SocketToken {
    static final int PROOF_BYTES = HmacKey.CODE_BYTES;
    private static final int BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final byte[] secret;
    private final HmacKey key;

    private SocketToken(byte[] secret) {
        this.secret = secret;
        this.key = new HmacKey(secret);
    }

    static SocketToken random() {
        byte[] secret = new byte[BYTES];
        RANDOM.nextBytes(secret);
        return new SocketToken(secret);
    }

    static SocketToken get(ByteBuffer in) {
        byte[] secret = new byte[BYTES];
        in.get(secret);
        return new SocketToken(secret);
    }

    void put(ByteBuffer out) {
        out.put(secret);
    }

    /** The proof that the sender of these bytes, from 0 on, has the token. */
    byte[] proofOf(ByteBuffer message, int bytes) {
        return key.code(message.slice(0, bytes));
    }

    /** Compares in a time that does not depend on where the proofs differ. */
    boolean isProofOf(ByteBuffer message, int bytes, byte[] proof) {
        return key.isCode(proof, message.slice(0, bytes));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SocketToken token && MessageDigest.isEqual(secret, token.secret);
    }

    @Override
    public int hashCode() {
        return HexFormat.of().formatHex(secret).hashCode();
    }

    @Override
    public String toString() {
        return "(secret)";
    }
}
