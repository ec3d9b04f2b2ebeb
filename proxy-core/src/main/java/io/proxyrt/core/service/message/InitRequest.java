/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.Direction;
import java.nio.ByteBuffer;

/**
 * Makes a connection. RCCL's also says who asks, and whether from the same process; here the session knows that.
 *
 * @param transportId as {@link io.proxyrt.core.progress.ProxyTransportProvider#id()}
 * @param direction   which way data flows, seen from the proxy
 * @param peer        rank at the other end
 */
public record InitRequest(int transportId, Direction direction, int peer) implements Request<InitResponse> {
    private static final int BYTES = 12;

    @Override
    public MessageType type() {
        return MessageType.INIT;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(BYTES).putInt(transportId).putInt(direction.ordinal()).putInt(peer).flip();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static InitRequest decode(ByteBuffer body) {
        Bodies.requireRequest(MessageType.INIT, body, BYTES);
        return new InitRequest(body.getInt(), Direction.of(body.getInt()), body.getInt());
    }

    @Override
    public InitResponse response(ByteBuffer response) {
        return InitResponse.decode(response);
    }
}
