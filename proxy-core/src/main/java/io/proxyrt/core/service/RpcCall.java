/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;

/**
 * One request that reached the service, as its wire module sees it. Used by the service agent's thread only. A call is
 * answered exactly once, at once or in a later duty cycle.
 */
public interface RpcCall {
    /**
     * What is asked for.
     *
     * @return the type
     */
    MessageType type();

    /**
     * The connection it is about.
     *
     * @return 0 for {@link MessageType#INIT}
     */
    long connectionId();

    /**
     * The request's body; valid until the call is answered.
     *
     * @return read-only, big-endian, from position 0; each call gives a fresh view
     */
    ByteBuffer request();

    /**
     * Who asks.
     *
     * @return equal for all calls of one peer, over whichever session they come
     */
    PeerId peer();

    /**
     * Whether the peer is still there; an answer to one that left is dropped.
     *
     * @return false once its socket is closed
     */
    boolean isOpen();

    /**
     * Answers.
     *
     * @param result   {@link ProxyResult#SUCCESS} or an error
     * @param detail   what went wrong, for people; empty on success
     * @param response the body, from position to limit; copied before this returns
     */
    void reply(ProxyResult result, String detail, ByteBuffer response);
}
