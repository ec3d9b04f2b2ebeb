/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.uds;

import io.proxyrt.core.config.JobSecret;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * What both sides of a session have said before it opens. Each proves that it knows the secret over all of it: the
 * address, so that nobody can pass on to one service what is meant for another, and both nonces, so that nothing that
 * was said before can be said again.
 */
final class Handshake {
    /** Bytes of a nonce. */
    static final int NONCE_BYTES = 32;

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String CLIENT = "proxyrt uds client 1";
    private static final String SERVICE = "proxyrt uds service 1";

    private final JobSecret secret;
    private final ByteBuffer transcript;

    Handshake(JobSecret secret, String address) {
        byte[] name = address.getBytes(StandardCharsets.UTF_8);
        this.secret = secret;
        this.transcript = ByteBuffer.allocate(name.length + 2 * UdsFrameDescriptor.FRAME_BYTES).put(name);
    }

    static byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** A hello, or the challenge after it; the bytes stay as they are. */
    void add(ByteBuffer frame) {
        transcript.put(frame.duplicate());
    }

    ByteBuffer clientProof() {
        return ByteBuffer.wrap(secret.proof(CLIENT, transcript.duplicate().flip()));
    }

    ByteBuffer serviceProof() {
        return ByteBuffer.wrap(secret.proof(SERVICE, transcript.duplicate().flip()));
    }

    boolean isClientProof(ByteBuffer proof) {
        return secret.isProof(CLIENT, transcript.duplicate().flip(), bytes(proof));
    }

    boolean isServiceProof(ByteBuffer proof) {
        return secret.isProof(SERVICE, transcript.duplicate().flip(), bytes(proof));
    }

    private static byte[] bytes(ByteBuffer proof) {
        byte[] bytes = new byte[proof.remaining()];
        proof.duplicate().get(bytes);
        return bytes;
    }
}
