/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/**
 * Second half of setting a connection up; stays unanswered until the peer is there.
 *
 * @param body the transport's own
 */
public record ConnectRequest(ByteBuffer body) implements Request<ByteBuffer> {
    @Override
    public MessageType type() {
        return MessageType.CONNECT;
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
