/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * Begins the orderly end of the service: what is there goes on, nothing new is made. Only for the runtime's own rank.
 */
public record StopRequest() implements Request<Void> {
    @Override
    public MessageType type() {
        return MessageType.STOP;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(0);
    }

    @Override
    public Void response(ByteBuffer response) {
        return Bodies.done(type(), response);
    }
}
