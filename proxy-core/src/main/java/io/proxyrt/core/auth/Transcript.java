/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import io.proxyrt.core.config.JobSecret;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * What both ends of a connection have said before one trusts the other, byte by byte, and the proofs over it: each end
 * shows that it knows the job's secret. The wire decides what belongs to it and in which order. As each end adds a
 * nonce, no proof serves a second time; where the service's address is a part, none can be forwarded to another
 * service; and as each end has a label of its own, none serves for the other end. One thread at a time.
 */
public final class Transcript {
    /** Bytes of a nonce. */
    public static final int NONCE_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();

    private final JobSecret secret;
    private final ByteArrayOutputStream said = new ByteArrayOutputStream();

    /**
     * Begins an empty one.
     *
     * @param secret that both ends have to know
     */
    public Transcript(JobSecret secret) {
        this.secret = secret;
    }

    /**
     * What makes a handshake differ from all others.
     *
     * @return {@link #NONCE_BYTES} random bytes
     */
    public static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /**
     * Adds bytes, such as those of a frame.
     *
     * @param bytes from position to limit; they stay as they are
     * @return this
     */
    public Transcript add(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        said.writeBytes(copy);
        return this;
    }

    /**
     * Adds a text in UTF-8, such as an address.
     *
     * @param text as both ends know it
     * @return this
     */
    public Transcript add(String text) {
        said.writeBytes(text.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    /**
     * Proves that this end knows the secret.
     *
     * @param label of this end
     * @return HMAC-SHA256 over the label, a zero byte and what was added
     */
    public byte[] proof(String label) {
        return secret.proof(label, whole());
    }

    /**
     * Checks the other end's proof, in a time that does not depend on where it is wrong.
     *
     * @param label of the other end
     * @param proof not to be trusted, from position to limit; it stays as it is
     * @return true if the other end knows the secret and has said and heard the same
     */
    public boolean isProof(String label, ByteBuffer proof) {
        byte[] copy = new byte[proof.remaining()];
        proof.get(proof.position(), copy);
        return secret.isProof(label, whole(), copy);
    }

    private ByteBuffer whole() {
        return ByteBuffer.wrap(said.toByteArray());
    }
}
