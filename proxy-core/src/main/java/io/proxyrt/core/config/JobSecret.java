/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.config;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.platform.HmacKey;
import io.proxyrt.core.platform.OwnFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * What only the ranks of a job know: the key of the handshakes on the service's and the UDS thread's
 * sockets. It never leaves the process by way of this class, and shows in no text. Immutable; any thread.
 */
public final class JobSecret {
    /** Bytes of a proof: those of HMAC-SHA256. */
    public static final int PROOF_BYTES = HmacKey.CODE_BYTES;

    private static final String SAME = "same";
    private static final int SECRET_BYTES = 32;
    private static final int MAX_FILE_BYTES = 4096;

    private final HmacKey key;

    private JobSecret(byte[] bytes) {
        key = new HmacKey(bytes);
    }

    /**
     * A new one, for a job of this process alone, or to be handed out by the bootstrap.
     *
     * @return 256 random bits
     */
    public static JobSecret random() {
        byte[] bytes = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        return new JobSecret(bytes);
    }

    /**
     * One that is known already.
     *
     * @param bytes at least 16 that are hard to guess; copied
     * @return the secret
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if they are fewer
     */
    public static JobSecret of(byte[] bytes) {
        if (bytes.length < SECRET_BYTES / 2) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a job secret of " + bytes.length
                    + " bytes; at least " + SECRET_BYTES / 2 + " are needed");
        }
        return new JobSecret(bytes);
    }

    /**
     * The one of {@link CoreOptions#SECRET_FILE} or {@link CoreOptions#SECRET}. Reads the file.
     *
     * @param config of the runtime
     * @return empty if neither is set
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the file is no plain file of this user, or
     *                        cannot be read, or by others too, or is shorter than 16 bytes
     */
    public static Optional<JobSecret> of(ProxyConfig config) {
        String file = config.get(CoreOptions.SECRET_FILE);
        if (!file.isEmpty()) {
            return Optional.of(ofFile(Path.of(file)));
        }
        String text = config.get(CoreOptions.SECRET);
        return text.isEmpty() ? Optional.empty() : Optional.of(ofText(text));
    }

    /**
     * Another secret, which cannot be computed without this one.
     *
     * @param label what it is for
     * @param salt  equal at all ranks
     * @return the same for the same arguments
     */
    public JobSecret derive(String label, byte[] salt) {
        return new JobSecret(proof(label, ByteBuffer.wrap(salt)));
    }

    /**
     * Shows knowledge of the secret without telling it: HMAC-SHA256.
     *
     * @param label      which side says what, so that no proof serves for another
     * @param transcript what was said so far, nonces included, from position to limit; stays as it is
     * @return {@link #PROOF_BYTES}
     */
    public byte[] proof(String label, ByteBuffer transcript) {
        return key.code(labelled(label), transcript);
    }

    /**
     * Checks a proof, in a time that does not depend on where it is wrong.
     *
     * @param label      as for {@link #proof}
     * @param transcript as for {@link #proof}
     * @param proof      not to be trusted
     * @return true if its maker knows the secret
     */
    public boolean isProof(String label, ByteBuffer transcript, byte[] proof) {
        return key.isCode(proof, labelled(label), transcript);
    }

    /**
     * Whether another object has the same secret, in a time that does not depend on where they differ.
     *
     * @param other of this process
     * @return true if each makes the proofs of the other
     */
    public boolean isSame(JobSecret other) {
        ByteBuffer nothing = ByteBuffer.allocate(0);
        return this == other || isProof(SAME, nothing, other.proof(SAME, nothing));
    }

    private static ByteBuffer labelled(String label) {
        return StandardCharsets.UTF_8.encode(label + '\0');
    }

    private static JobSecret ofText(String text) {
        try {
            return new JobSecret(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    private static JobSecret ofFile(Path file) {
        try {
            byte[] bytes = OwnFile.read(file, MAX_FILE_BYTES);
            if (bytes.length < SECRET_BYTES / 2) {
                throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "cannot use " + file + ": it has " + bytes.length
                        + " bytes; at least " + SECRET_BYTES / 2 + " are needed");
            }
            return new JobSecret(bytes);
        } catch (ProxyException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, CoreOptions.SECRET_FILE + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String toString() {
        return "job secret";
    }
}
