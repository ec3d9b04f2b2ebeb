/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.wire;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A participant behind a child switch.
 *
 * @param rank     its place
 * @param patience how long it waits for the others, in whole milliseconds
 * @param name     for messages
 */
public record Join(int rank, Duration patience, String name) {
    private static final int PATIENCE_AT = 2 * Integer.BYTES;
    private static final int HEAD_BYTES = 3 * Integer.BYTES;

    static int bytes(ByteBuffer received) {
        return HEAD_BYTES + WireText.length(received, Short.BYTES, WireDescriptor.MAX_NAME_BYTES);
    }

    /**
     * Reads a whole one.
     *
     * @param received from 0 to its position
     * @param nRanks   participants of the group
     * @return the frame
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if there is no such place
     */
    public static Join decode(ByteBuffer received, int nRanks) {
        final int rank = received.getInt(Integer.BYTES);
        if (rank < 0 || rank >= nRanks) {
            throw WireDescriptor.malformed("participant " + rank + " of " + nRanks);
        }
        return new Join(rank, WirePatience.get(received, PATIENCE_AT),
                WireText.decode(received, HEAD_BYTES, bytes(received) - HEAD_BYTES));
    }

    /**
     * Writes it.
     *
     * @return a new buffer, to be sent
     */
    public ByteBuffer encode() {
        final byte[] text = WireText.encode(name, WireDescriptor.MAX_NAME_BYTES);
        return ByteBuffer.allocate(HEAD_BYTES + text.length).put(WireDescriptor.JOIN).put((byte) 0)
                .putShort((short) text.length).putInt(rank).putInt(WirePatience.of(patience)).put(text).flip();
    }
}
