/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.auth.PeerText;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The answer to Watch: a runtime's last word.
 *
 * @param hasFailed whether it ends because it failed, or only because it is done
 * @param culprit   the rank whose end made it fail; {@link #UNKNOWN} if that is not known, or it did not fail
 * @param reason    for people
 */
public record Farewell(boolean hasFailed, int culprit, String reason) {
    /** Most bytes of a reason; the rest of it is cut. */
    public static final int MAX_REASON_BYTES = 1024;

    /** In place of a culprit. */
    public static final int UNKNOWN = -1;

    private static final int HEADER_BYTES = 2 * Integer.BYTES;
    /** Of the longest that {@link #encode} writes. */
    public static final int MAX_BYTES = HEADER_BYTES + MAX_REASON_BYTES;

    /**
     * Of a runtime that failed.
     *
     * @param cause of its end
     * @return names the culprit if the cause does
     */
    public static Farewell of(ProxyException cause) {
        ProxyException root = cause.culprit().isPresent() ? cause.blame() : cause;
        return new Farewell(true, cause.culprit().orElse(UNKNOWN), root.getMessage());
    }

    /**
     * For the wire.
     *
     * @param out gets: 1 if it failed, else 0; culprit; reason in UTF-8
     */
    public void encode(ByteBuffer out) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        out.putInt(hasFailed ? 1 : 0).putInt(culprit).put(Arrays.copyOf(text, Math.min(text.length, MAX_REASON_BYTES)));
    }

    static Farewell decode(ByteBuffer in) {
        if (in.remaining() < HEADER_BYTES || in.remaining() > MAX_BYTES) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR, MessageType.WATCH + ": the response has "
                    + in.remaining() + " bytes, not " + HEADER_BYTES + " to " + MAX_BYTES);
        }
        boolean hasFailed = in.getInt() != 0;
        int culprit = in.getInt();
        return new Farewell(hasFailed, culprit, PeerText.line(StandardCharsets.UTF_8.decode(in).toString()));
    }
}
