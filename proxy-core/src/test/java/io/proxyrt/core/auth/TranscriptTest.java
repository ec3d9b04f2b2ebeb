/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.auth;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.proxyrt.core.config.JobSecret;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class TranscriptTest {
    private final JobSecret secret = JobSecret.of(HexFormat.of().parseHex("0b".repeat(20)));

    @Test
    void shouldProveWhatWasAddedInOrder() {
        ByteBuffer hello = ByteBuffer.wrap(new byte[] {0, 1, 2, 3}).position(1).limit(3);

        Transcript transcript = new Transcript(secret).add("é:1").add(hello);

        byte[] said = {(byte) 0xc3, (byte) 0xa9, ':', '1', 1, 2};
        assertArrayEquals(secret.proof("caller", ByteBuffer.wrap(said)), transcript.proof("caller"));
        assertEquals(1, hello.position(), "the bytes stay as they are");
    }

    @Test
    void shouldTakeNoProofOfAnotherHandshake() {
        ByteBuffer proof = ByteBuffer.wrap(new Transcript(secret).add("a").add("bc").proof("caller"));

        assertTrue(new Transcript(secret).add("abc").isProof("caller", proof));
        assertEquals(32, proof.remaining(), "the proof stays as it is");
        assertFalse(new Transcript(secret).add("abc").isProof("service", proof));
        assertFalse(new Transcript(secret).add("abd").isProof("caller", proof));
        assertFalse(new Transcript(JobSecret.random()).add("abc").isProof("caller", proof));
        assertFalse(new Transcript(secret).add("abc").isProof("caller", proof.slice(0, 31)));
    }

    @Test
    void shouldMakeNoNonceTwice() {
        assertEquals(Transcript.NONCE_BYTES, Transcript.nonce().length);
        assertFalse(HexFormat.of().formatHex(Transcript.nonce()).equals(HexFormat.of().formatHex(Transcript.nonce())));
    }
}
