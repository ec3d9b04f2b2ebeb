/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * Allocates buffers that connections will share, ahead of their use. The connection holds them, and serves for nothing
 * else.
 *
 * @param nChannels to allocate for
 */
public record SharedInitRequest(int nChannels) implements Request<ByteBuffer> {
    @Override
    public MessageType type() {
        return MessageType.SHARED_INIT;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(nChannels).flip();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static SharedInitRequest decode(ByteBuffer body) {
        Bodies.requireRequest(MessageType.SHARED_INIT, body, Integer.BYTES);
        return new SharedInitRequest(body.getInt());
    }

    /** {@inheritDoc} That is the transport's own. */
    @Override
    public ByteBuffer response(ByteBuffer response) {
        return response;
    }
}
