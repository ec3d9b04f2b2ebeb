/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * Undoes a {@link RegisterRequest} of the same connection.
 *
 * @param handle as that was answered
 */
public record DeregisterRequest(long handle) implements Request<Void> {
    @Override
    public MessageType type() {
        return MessageType.DEREGISTER;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(Long.BYTES).putLong(handle).flip();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static DeregisterRequest decode(ByteBuffer body) {
        Bodies.requireRequest(MessageType.DEREGISTER, body, Long.BYTES);
        return new DeregisterRequest(body.getLong());
    }

    @Override
    public Void response(ByteBuffer response) {
        return Bodies.done(type(), response);
    }
}
