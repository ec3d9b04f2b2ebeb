/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/** Ping: asks whether a thread drives the service, and what process it is. */
public record PingRequest() implements Request<PingResponse> {
    @Override
    public MessageType type() {
        return MessageType.PING;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(0);
    }

    @Override
    public PingResponse response(ByteBuffer response) {
        return PingResponse.decode(response);
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static PingRequest decode(ByteBuffer body) {
        Bodies.requireRequest(MessageType.PING, body, 0);
        return new PingRequest();
    }
}
