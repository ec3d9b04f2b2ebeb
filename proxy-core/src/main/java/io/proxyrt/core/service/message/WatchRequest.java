/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import java.nio.ByteBuffer;

/** Watch: asks to be told when the service's runtime leaves. The answer comes then, and not before. */
public record WatchRequest() implements Request<Farewell> {
    @Override
    public MessageType type() {
        return MessageType.WATCH;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(0);
    }

    @Override
    public Farewell response(ByteBuffer response) {
        return Farewell.decode(response);
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static WatchRequest decode(ByteBuffer body) {
        Bodies.requireRequest(MessageType.WATCH, body, 0);
        return new WatchRequest();
    }
}
