/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.progress;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The connect infos of all ranks that a network connects with each other.
 *
 * @param rank  place of this rank's, 0 to their number - 1
 * @param infos of all of them, at least one
 */
public record CollNetInfos(int rank, List<ByteBuffer> infos) {
    /** Most bytes of an info, whose length is a short. */
    public static final int MAX_INFO_BYTES = 0xffff;

    /**
     * For {@link ProxyTransport#connectRequest}, and on to the proxy half.
     *
     * @param rank  place of this rank's
     * @param infos of all, each of {@link #MAX_INFO_BYTES} at most
     * @return big-endian: rank, how many, then each with its length before it, a short
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} for longer ones
     */
    public static ByteBuffer encode(int rank, List<ByteBuffer> infos) {
        infos.forEach(CollNetInfos::requireShort);
        int bytes = infos.stream().mapToInt(info -> Short.BYTES + info.remaining()).sum();
        ByteBuffer out = ByteBuffer.allocate(2 * Integer.BYTES + bytes).putInt(rank).putInt(infos.size());
        infos.forEach(info -> out.putShort((short) info.remaining()).put(info.duplicate()));
        return out.flip();
    }

    private static void requireShort(ByteBuffer info) {
        if (info.remaining() > MAX_INFO_BYTES) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "a connect info for a network has "
                    + info.remaining() + " bytes; " + MAX_INFO_BYTES + " are the most");
        }
    }

    /**
     * Undoes {@link #encode}.
     *
     * @param in not to be trusted; read to its end
     * @return the infos
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is broken
     */
    public static CollNetInfos decode(ByteBuffer in) {
        int length = in.remaining();
        try {
            int rank = in.getInt();
            int count = in.getInt();
            List<ByteBuffer> infos = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int bytes = Short.toUnsignedInt(in.getShort());
                if (bytes > in.remaining()) {
                    throw new BufferUnderflowException();
                }
                infos.add(in.slice(in.position(), bytes));
                in.position(in.position() + bytes);
            }
            if (rank < 0 || rank >= count || in.hasRemaining()) {
                throw new BufferUnderflowException();
            }
            return new CollNetInfos(rank, List.copyOf(infos));
        } catch (BufferUnderflowException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "connect infos of " + length
                    + " bytes for a network are broken", e);
        }
    }
}
