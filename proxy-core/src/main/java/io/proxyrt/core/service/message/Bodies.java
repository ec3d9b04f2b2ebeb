/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/** Checks of what came over a wire. */
final class Bodies {
    private Bodies() {
    }

    /** Refuses a request that has another length. */
    static void requireRequest(MessageType type, ByteBuffer body, int bytes) {
        if (body.remaining() != bytes) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    type + ": the request has " + body.remaining() + " bytes, not " + bytes);
        }
    }

    /** Refuses a response that has another length. */
    static void requireResponse(MessageType type, ByteBuffer body, int bytes) {
        if (body.remaining() != bytes) {
            throw new ProxyException(ProxyResult.REMOTE_ERROR,
                    type + ": the response has " + body.remaining() + " bytes, not " + bytes);
        }
    }

    /** Reads a response that says nothing. */
    static Void done(MessageType type, ByteBuffer body) {
        requireResponse(type, body, 0);
        return null;
    }
}
