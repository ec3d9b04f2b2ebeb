/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/** A session with the service of one proxy. Any thread. */
public interface ProxyClient extends AutoCloseable {
    /**
     * Calls the service. Does not block. Answers come in any order.
     *
     * @param type         what is asked for
     * @param connectionId which connection it is about; 0 for {@link MessageType#INIT}
     * @param request      body, from position to limit; copied before this returns
     * @return the response's body (big-endian, owned by the caller), or a
     *         {@link io.proxyrt.core.ProxyException} that names the service and what it said
     */
    CompletableFuture<ByteBuffer> call(MessageType type, long connectionId, ByteBuffer request);

    /**
     * Whether calls can still be made. Any thread.
     *
     * @return false once the session is closed or has ended, for good
     */
    boolean isOpen();

    /** Ends the session; calls without an answer complete exceptionally. Idempotent; does not block. */
    @Override
    void close();
}
