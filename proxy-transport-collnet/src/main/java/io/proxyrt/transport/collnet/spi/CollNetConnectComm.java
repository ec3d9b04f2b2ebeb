/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet.spi;

/** An attempt to connect. Service thread. */
public interface CollNetConnectComm extends AutoCloseable {
    /**
     * Goes on connecting. Does not block; to be called again while it returns null, and not after it threw.
     *
     * @return the comm, owned by the caller and independent of this object; null if not all participants are there yet
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#REMOTE_ERROR} if the network cannot be
     *                                        reached or refuses, {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if
     *                                        the system does
     */
    CollNetComm connect();

    /** Gives the attempt up, unless it has succeeded. Idempotent. */
    @Override
    void close();
}
