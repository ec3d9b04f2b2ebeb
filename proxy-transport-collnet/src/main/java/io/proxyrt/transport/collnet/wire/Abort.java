/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/**
 * The end of a group.
 *
 * @param result what kind of failure it is
 * @param text   why, for people
 */
public record Abort(ProxyResult result, String text) {
    static int bytes(ByteBuffer received) {
        return WireDescriptor.MIN_BYTES + WireText.length(received, Short.BYTES, WireDescriptor.MAX_TEXT_BYTES);
    }

    /**
     * Reads a whole one.
     *
     * @param received from 0 to its position
     * @return the frame; its result is an error whatever was sent
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if its text is none
     */
    public static Abort decode(ByteBuffer received) {
        final ProxyResult result = ProxyResult.of(received.getInt(Integer.BYTES));
        return new Abort(result.isError() ? result : ProxyResult.REMOTE_ERROR,
                WireText.decode(received, WireDescriptor.MIN_BYTES, bytes(received) - WireDescriptor.MIN_BYTES));
    }

    /**
     * Writes it.
     *
     * @return a new buffer, to be sent
     */
    public ByteBuffer encode() {
        final byte[] utf8 = WireText.encode(text, WireDescriptor.MAX_TEXT_BYTES);
        return ByteBuffer.allocate(WireDescriptor.MIN_BYTES + utf8.length).put(WireDescriptor.ABORT).put((byte) 0)
                .putShort((short) utf8.length).putInt(result.code()).put(utf8).flip();
    }
}
