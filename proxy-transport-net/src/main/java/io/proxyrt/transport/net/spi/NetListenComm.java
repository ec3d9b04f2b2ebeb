/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

import java.nio.ByteBuffer;

/** A device that waits for connections. Service thread. */
public interface NetListenComm extends AutoCloseable {
    /**
     * What a peer needs for {@link NetPlugin#connect}.
     *
     * @return a fresh read-only view of at most {@link NetPlugin#HANDLE_BYTES}; the same content each time
     */
    ByteBuffer handle();

    /**
     * Takes in the peer that holds the handle. Does not block; to be called again while it returns null. Other
     * connections are refused without disturbing that peer.
     *
     * @return the connection, owned by the caller and independent of this object; null if it is not there yet
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if the device no longer
     *                                        works
     */
    NetRecvComm accept();

    /** Stops waiting, and drops peers that are half in. Idempotent. */
    @Override
    void close();
}
