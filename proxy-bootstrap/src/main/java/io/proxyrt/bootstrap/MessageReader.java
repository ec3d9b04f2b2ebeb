/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.bootstrap;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the fields of one body. Trusts nothing: a field that is not there or has no meaning is a {@code REMOTE_ERROR}.
 */
final class MessageReader {
    private final ByteBuffer body;

    MessageReader(ByteBuffer body) {
        this.body = body;
    }

    static ProxyException malformed(String what) {
        return new ProxyException(ProxyResult.REMOTE_ERROR, what);
    }

    int readInt() {
        require(Integer.BYTES);
        return body.getInt();
    }

    long readLong() {
        require(Long.BYTES);
        return body.getLong();
    }

    /** A time of less than 25 days. */
    int readIntMillis() {
        final int millis = readInt();
        if (millis < 0) {
            throw malformed("a time of " + millis + " ms");
        }
        return millis;
    }

    /** A time that was asked for; longer than ten years is ten years. */
    long readMillis() {
        final long millis = readLong();
        if (millis < 0) {
            throw malformed("a time of " + millis + " ms");
        }
        return Math.min(millis, Deadline.MAX_MILLIS);
    }

    RoundKind readKind() {
        require(1);
        final byte code = body.get();
        for (final RoundKind kind : RoundKind.values()) {
            if (kind.code() == code) {
                return kind;
            }
        }
        throw malformed("a round of kind " + code);
    }

    /** A result that is an error whatever was sent. */
    ProxyResult readError() {
        final ProxyResult result = ProxyResult.of(readInt());
        return result.isError() ? result : ProxyResult.INTERNAL_ERROR;
    }

    String readText() {
        if (body.remaining() > BootstrapDescriptor.MAX_TEXT_BYTES) {
            throw malformed("a text of " + body.remaining() + " bytes");
        }
        return PeerText.line(new String(readBlob(), StandardCharsets.UTF_8));
    }

    byte[] readBytes(int count) {
        require(count);
        final byte[] bytes = new byte[count];
        body.get(bytes);
        return bytes;
    }

    byte[] readBlob() {
        final byte[] blob = new byte[body.remaining()];
        body.get(blob);
        return blob;
    }

    /** One of several blobs, which has its length in front. */
    byte[] readSizedBlob() {
        final int length = readInt();
        if (length < 0) {
            throw malformed("a blob of " + length + " bytes");
        }
        return readBytes(length);
    }

    /** What comes next, which stays where it is. */
    ByteBuffer rest() {
        return body.slice();
    }

    /** Passes over the blobs that follow, of which there is at least one, each with its length in front. */
    int countSizedBlobs() {
        int count = 0;
        do {
            final int length = readInt();
            if (length < 0) {
                throw malformed("a blob of " + length + " bytes");
            }
            require(length);
            body.position(body.position() + length);
            count++;
        } while (body.hasRemaining());
        return count;
    }

    void requireEnd() {
        if (body.hasRemaining()) {
            throw malformed("a frame with " + body.remaining() + " bytes too many");
        }
    }

    private void require(int bytes) {
        if (body.remaining() < bytes) {
            throw malformed("a frame that ends within a field");
        }
    }
}
