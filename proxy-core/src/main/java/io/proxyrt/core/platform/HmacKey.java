/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.platform;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** A key of the platform's HMAC-SHA256, which all proofs of the control plane are. Immutable; any thread. */
public final class HmacKey {
    /** Bytes of an authentication code. */
    public static final int CODE_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    /** Keyed and never fed: looking for an algorithm and keying it takes longer than a code. */
    private final Mac keyed;

    /**
     * A key.
     *
     * @param key at least one byte; copied
     */
    public HmacKey(byte[] key) {
        try {
            keyed = Mac.getInstance(ALGORITHM);
            keyed.init(new SecretKeySpec(key, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new AssertionError("every Java platform has " + ALGORITHM, e);
        }
    }

    /**
     * Computes the authentication code of a message.
     *
     * @param parts of the message in order, each from position to limit; they stay as they are
     * @return {@link #CODE_BYTES}
     */
    public byte[] code(ByteBuffer... parts) {
        try {
            Mac mac = (Mac) keyed.clone();
            for (ByteBuffer part : parts) {
                mac.update(part.duplicate());
            }
            return mac.doFinal();
        } catch (CloneNotSupportedException e) {
            throw new AssertionError("the platform's " + ALGORITHM + " can be cloned", e);
        }
    }

    /**
     * Checks a code, in a time that does not depend on where it is wrong.
     *
     * @param code  not to be trusted
     * @param parts as for {@link #code}
     * @return true if it is the message's
     */
    public boolean isCode(byte[] code, ByteBuffer... parts) {
        return MessageDigest.isEqual(code(parts), code);
    }
}
