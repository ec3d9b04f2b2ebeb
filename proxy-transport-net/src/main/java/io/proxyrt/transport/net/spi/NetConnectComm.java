/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net.spi;

/**
 * An attempt to connect. NCCL keeps its state inside the handle; here the handle stays as it came, and two attempts at
 * one handle do not meet. Service thread.
 */
public interface NetConnectComm extends AutoCloseable {
    /**
     * Goes on connecting. Does not block; to be called again while it returns null, and not after it threw. May return
     * null until the peer accepts, for which the caller has a deadline.
     *
     * @return the connection, owned by the caller and independent of this object; null if it is not there yet
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#REMOTE_ERROR} if the peer cannot be
     *                                        reached, {@link io.proxyrt.core.ProxyResult#SYSTEM_ERROR} if the system
     *                                        refuses
     */
    NetSendComm connect();

    /** Gives the attempt up, unless it has succeeded. Idempotent. */
    @Override
    void close();
}
