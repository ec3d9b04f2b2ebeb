/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.Direction;
import io.proxyrt.core.OwnedFd;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.DeregisterRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.RegisterRequest;
import io.proxyrt.core.service.message.RegisterRequest.Source;
import io.proxyrt.core.service.message.SetupRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Registers memory of this rank with the proxy of a peer of the same host, so that the peer's kernels read it in place,
 * by {@link io.proxyrt.core.device.PeerMemory}. It keeps a connection at the peer's service, which closes with this
 * rank's runtime. One thread at a time.
 */
public final class PeerRegistrar {
    private final ProxyState proxy;
    private final int transportId;
    private final PeerInfo peer;
    private final ServiceClient client;
    private CompletableFuture<Long> connection;

    PeerRegistrar(ProxyState proxy, int transportId, PeerInfo peer) {
        this.proxy = proxy;
        this.transportId = transportId;
        this.peer = peer;
        this.client = proxy.client(peer.service());
    }

    /**
     * Registers memory. Blocks until the peer's UDS thread has the descriptor, and not until its service has mapped it.
     * A peer in {@link ThreadingMode#INVOKER} does either only while its caller drives it.
     *
     * @param memory  of {@link io.proxyrt.core.device.Device#allocateShareable}; may be freed while it is registered,
     *                for the peer keeps the pages
     * @param timeout for handing over the descriptor
     * @return the handle by which the peer's kernels find it, from its first byte to its last; or the peer's reason
     * @throws ProxyException {@link ProxyResult#INVALID_ARGUMENT} if the memory cannot be shared,
     *                        {@link ProxyResult#TIMEOUT} if the peer does not answer
     */
    public CompletableFuture<Long> register(DeviceMemory memory, Duration timeout) {
        int number;
        try (OwnedFd fd = proxy.device().exportFd(memory)) {
            number = proxy.memory().queryFd(peer.uds(), timeout, List.of(fd))[0];
        }
        RegisterRequest request = new RegisterRequest(Source.FD, number, 0, memory.bytes());
        return connection().thenCompose(id -> client.callAsync(id, request));
    }

    /**
     * Undoes {@link #register}, finished or not. Does not wait: no kernel of the peer may need the memory any more, and
     * if the peer is gone, so is the registration.
     *
     * @param handle of {@link #register}
     */
    public void deregister(CompletableFuture<Long> handle) {
        handle.thenCombine(connection, (number, id) -> client.callAsync(id, new DeregisterRequest(number)));
    }

    private CompletableFuture<Long> connection() {
        if (connection == null || connection.isCompletedExceptionally()) {
            InitRequest init = new InitRequest(transportId, Direction.SEND, proxy.rank());
            connection = client.callAsync(0, init).thenCompose(made -> connect(made.connectionId()));
        }
        return connection;
    }

    private CompletableFuture<Long> connect(long id) {
        return client.callAsync(id, new SetupRequest(ByteBuffer.allocate(0)))
                .thenCompose(done -> client.callAsync(id, new ConnectRequest(ByteBuffer.allocate(0))))
                .thenApply(done -> id);
    }
}
