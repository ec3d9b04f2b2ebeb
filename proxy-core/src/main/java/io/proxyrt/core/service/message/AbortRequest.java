/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * Drops ops now: those of a connection, which takes no more; with connection id 0 those of all of the caller's
 * connections, and if the caller is the runtime's own rank, all there are and will be. RCCL numbers this message and
 * never sends it.
 */
public record AbortRequest() implements Request<Integer> {
    @Override
    public MessageType type() {
        return MessageType.ABORT;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(0);
    }

    /** {@inheritDoc} That is how many ops were dropped. */
    @Override
    public Integer response(ByteBuffer response) {
        Bodies.requireResponse(type(), response, Integer.BYTES);
        return response.getInt();
    }
}
