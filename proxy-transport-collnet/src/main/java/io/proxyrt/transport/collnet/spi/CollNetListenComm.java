/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

import java.nio.ByteBuffer;

/** A device that is ready to be connected with others. Service thread. */
public interface CollNetListenComm extends AutoCloseable {
    /**
     * What all participants need for {@link CollNetPlugin#connect}.
     *
     * @return a fresh read-only view of at most {@link CollNetPlugin#HANDLE_BYTES}; the same content each time
     */
    ByteBuffer handle();

    /** Gives up what it holds; comms that were connected with it stay. Idempotent. */
    @Override
    void close();
}
