/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.op.ProxyOpEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Posts ops for a rank that cannot map the ops pool, say from another container. They become visible to the progress
 * thread all at once. RCCL numbers this message and never sends it.
 *
 * @param opCount the grouping key of all of them
 * @param ops     at least one; on connections of the caller
 */
public record StartRequest(long opCount, List<ProxyOpEncoder> ops) implements Request<Void> {
    @Override
    public MessageType type() {
        return MessageType.START;
    }

    @Override
    public ByteBuffer encode() {
        ByteBuffer body = ByteBuffer.allocate(Long.BYTES + ops.size() * ProxyOpEncoder.BYTES).putLong(opCount);
        ops.forEach(op -> op.put(body));
        return body.flip();
    }

    /**
     * Undoes {@link #encode()}.
     *
     * @param body not to be trusted
     * @return the request
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if it is none
     */
    public static StartRequest decode(ByteBuffer body) {
        int bytes = body.remaining() - Long.BYTES;
        if (bytes <= 0 || bytes % ProxyOpEncoder.BYTES != 0) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, MessageType.START + ": " + body.remaining()
                    + " bytes are no opCount and ops of " + ProxyOpEncoder.BYTES + " bytes each");
        }
        long opCount = body.getLong();
        List<ProxyOpEncoder> ops = new ArrayList<>(bytes / ProxyOpEncoder.BYTES);
        while (body.hasRemaining()) {
            ops.add(ProxyOpEncoder.get(body));
        }
        return new StartRequest(opCount, ops);
    }

    @Override
    public Void response(ByteBuffer response) {
        return Bodies.done(type(), response);
    }
}
