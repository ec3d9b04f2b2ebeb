/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/**
 * A participant behind a child switch.
 *
 * @param rank its place
 * @param name for messages
 */
public record Join(int rank, String name) {
    static int bytes(ByteBuffer received) {
        return WireDescriptor.MIN_BYTES + WireText.length(received, Short.BYTES, WireDescriptor.MAX_NAME_BYTES);
    }

    /**
     * Reads a whole one.
     *
     * @param received from 0 to its position
     * @param nRanks   participants of the group
     * @return the frame
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if there is no such rank
     */
    public static Join decode(ByteBuffer received, int nRanks) {
        final int rank = received.getInt(Integer.BYTES);
        if (rank < 0 || rank >= nRanks) {
            throw WireDescriptor.malformed("rank " + rank + " of " + nRanks);
        }
        return new Join(rank, WireText.decode(received, WireDescriptor.MIN_BYTES,
                bytes(received) - WireDescriptor.MIN_BYTES));
    }

    /**
     * Writes it.
     *
     * @return a new buffer, to be sent
     */
    public ByteBuffer encode() {
        final byte[] text = WireText.encode(name, WireDescriptor.MAX_NAME_BYTES);
        return ByteBuffer.allocate(WireDescriptor.MIN_BYTES + text.length).put(WireDescriptor.JOIN).put((byte) 0)
                .putShort((short) text.length).putInt(rank).put(text).flip();
    }
}
