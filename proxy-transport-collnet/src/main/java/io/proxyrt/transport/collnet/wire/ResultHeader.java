/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import java.nio.ByteBuffer;

/** The head of a result, in a buffer from 0 on. Nothing here allocates. */
public final class ResultHeader {
    /** Its size. */
    public static final int BYTES = 24;

    private static final int SEQ_AT = 8;
    private static final int PAYLOAD_AT = 16;

    private ResultHeader() {
    }

    /**
     * Writes one.
     *
     * @param out          from its position on; that and its limit stay
     * @param seq          of the call
     * @param payloadBytes that follow in this frame
     */
    public static void put(ByteBuffer out, long seq, long payloadBytes) {
        final int at = out.position();
        out.putLong(at, (long) WireDescriptor.RESULT << 56).putLong(at + SEQ_AT, seq)
                .putLong(at + PAYLOAD_AT, payloadBytes);
    }

    /**
     * Of the call.
     *
     * @param in a header; to be compared with what is expected
     * @return its number within the group
     */
    public static long seq(ByteBuffer in) {
        return in.getLong(SEQ_AT);
    }

    /**
     * What follows in this frame: the result, or the next part of it.
     *
     * @param in a header; to be compared with what is still expected
     * @return bytes
     */
    public static long payloadBytes(ByteBuffer in) {
        return in.getLong(PAYLOAD_AT);
    }
}
