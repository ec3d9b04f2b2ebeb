/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * First half of setting a connection up. What it says is between the two halves of its transport.
 *
 * @param body the transport's own
 */
public record SetupRequest(ByteBuffer body) implements Request<ByteBuffer> {
    @Override
    public MessageType type() {
        return MessageType.SETUP;
    }

    @Override
    public ByteBuffer encode() {
        return body.duplicate();
    }

    /** {@inheritDoc} That is the transport's own, too. */
    @Override
    public ByteBuffer response(ByteBuffer response) {
        return response;
    }
}
