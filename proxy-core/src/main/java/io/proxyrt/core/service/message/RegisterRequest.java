/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/**
 * Registers memory with a connection, so that its transport can reach it.
 *
 * @param source where the memory is named
 * @param id     its name there
 * @param offset first byte, from the beginning of that memory
 * @param bytes  how many, greater than 0
 */
public record RegisterRequest(Source source, long id, long offset, long bytes) implements Request<Long> {
    private static final int BYTES = 28;

    /** Where memory is named. */
    public enum Source {
        /** {@link io.proxyrt.core.device.DeviceMemory#id()}, for a caller in the proxy's own process. */
        DEVICE,
        /** The number that {@link io.proxyrt.core.service.UdsClient#queryFd} answered; used up by this call. */
        FD
    }

    @Override
    public MessageType type() {
        return MessageType.REGISTER;
    }

    @Override
    public ByteBuffer encode() {
        return ByteBuffer.allocate(BYTES).putInt(source.ordinal()).putLong(id).putLong(offset).putLong(bytes).flip();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static RegisterRequest decode(ByteBuffer body) {
        Bodies.requireRequest(MessageType.REGISTER, body, BYTES);
        int source = body.getInt();
        if (source < 0 || source >= Source.values().length) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "REGISTER: no source has code " + source);
        }
        return new RegisterRequest(Source.values()[source], body.getLong(), body.getLong(), body.getLong());
    }

    /** {@inheritDoc} That is the handle for {@link DeregisterRequest} and for ops. */
    @Override
    public Long response(ByteBuffer response) {
        Bodies.requireResponse(type(), response, Long.BYTES);
        return response.getLong();
    }
}
