/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * Releases a connection, or with connection id 0 all of the caller's. Ops that still use it fail. Answered when its
 * resources are free.
 */
public record CloseRequest() implements Request<Void> {
    @Override
    public MessageType type() {
        return MessageType.CLOSE;
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
