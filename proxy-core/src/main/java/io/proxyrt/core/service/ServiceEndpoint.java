/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.service;

import io.proxyrt.core.agent.Agent;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The wire side of the service: a listening socket, its sessions, and the client halves this runtime opened to services
 * of other ranks. Its duty cycle does all the reading and writing; {@link #park(long)} waits in the selector.
 */
public interface ServiceEndpoint extends Agent {
    /**
     * Where it listens.
     *
     * @return of TCP with the port that was really bound, or of a Unix-domain socket
     */
    SocketAddress address();

    /**
     * Opens a session with a service, this one or another rank's. Does not block. Any thread.
     *
     * @param address where that service listens
     * @return the session once it is accepted there, or a {@link io.proxyrt.core.ProxyException}
     */
    CompletableFuture<ProxyClient> connect(SocketAddress address);

    /**
     * Opens a session that its callers drive, on their own threads. Blocks. Any thread.
     *
     * @param address where that service listens
     * @param timeout for being accepted
     * @return owned by the caller, who closes it; it ends with this endpoint at the latest
     * @throws io.proxyrt.core.ProxyException {@link io.proxyrt.core.ProxyResult#REMOTE_ERROR} if none listens there
     *                                        or the session is refused, {@link io.proxyrt.core.ProxyResult#TIMEOUT}
     */
    BlockingClient connectBlocking(SocketAddress address, Duration timeout);
}
