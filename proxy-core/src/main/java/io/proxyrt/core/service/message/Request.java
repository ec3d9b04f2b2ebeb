/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service.message;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import java.nio.ByteBuffer;

/**
 * A request to the service of a proxy. Immutable.
 *
 * @param <R> what the service answers; {@link Void} if all it says is that it is done
 */
public sealed interface Request<R> permits InitRequest, SharedInitRequest, SetupRequest, ConnectRequest, StartRequest,
        CloseRequest, AbortRequest, StopRequest, RegisterRequest, DeregisterRequest, WatchRequest, PingRequest {
    /**
     * Its type.
     *
     * @return as on the wire
     */
    MessageType type();

    /**
     * Its bytes.
     *
     * @return from position to limit; owned by the caller
     */
    ByteBuffer encode();

    /**
     * Reads the response.
     *
     * @param response body, not to be trusted
     * @return what it says
     * @throws ProxyException {@link ProxyResult#REMOTE_ERROR} if it is none
     */
    R response(ByteBuffer response);
}
