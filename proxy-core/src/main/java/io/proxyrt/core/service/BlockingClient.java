/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.service.message.MessageType;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A session with the service of one proxy that its callers drive themselves: a call writes and reads on the calling
 * thread, without a hop to another one. Any thread; several at once share the session, and their answers may come in
 * any order.
 */
public interface BlockingClient extends AutoCloseable {
    /**
     * Calls the service and blocks until it has answered.
     *
     * @param type         what is asked for
     * @param connectionId which connection it is about; 0 for {@link MessageType#INIT}
     * @param request      body, from position to limit; stays as it is
     * @param timeout      for the answer
     * @return the response's body, big-endian, owned by the caller
     * @throws io.proxyrt.core.ProxyException what the service said, or
     *                                        {@link io.proxyrt.core.ProxyResult#TIMEOUT} if it said nothing in time;
     *                                        {@link io.proxyrt.core.ProxyResult#INVALID_USAGE} if the thread was
     *                                        interrupted; the session lives on after all three
     */
    ByteBuffer call(MessageType type, long connectionId, ByteBuffer request, Duration timeout);

    /**
     * Whether calls can still be made. Any thread. The session is not driven between calls, so that the service
     * went away shows only once a call has failed of it.
     *
     * @return false once the session is closed or has ended, for good
     */
    boolean isOpen();

    /** Ends the session; calls without an answer fail. Idempotent; does not block. */
    @Override
    void close();
}
