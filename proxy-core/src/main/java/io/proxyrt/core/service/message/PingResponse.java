/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * The answer to a Ping.
 *
 * @param rank     of the runtime that answers
 * @param pid      of its process, in its own namespace
 * @param isDriven whether its caller drives the service, and so may leave it alone for long
 */
public record PingResponse(int rank, long pid, boolean isDriven) {
    private static final int BYTES = 2 * Integer.BYTES + Long.BYTES;

    /**
     * For the wire.
     *
     * @param out gets: rank; 1 if its caller drives the service, else 0; pid
     */
    public void encode(ByteBuffer out) {
        out.putInt(rank).putInt(isDriven ? 1 : 0).putLong(pid);
    }

    static PingResponse decode(ByteBuffer in) {
        Bodies.requireResponse(MessageType.PING, in, BYTES);
        int rank = in.getInt();
        boolean isDriven = in.getInt() != 0;
        return new PingResponse(rank, in.getLong(), isDriven);
    }
}
