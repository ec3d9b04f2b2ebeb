/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.core.runtime;

import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.ThreadingMode;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.CollNetInfos;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.service.message.CloseRequest;
import io.proxyrt.core.service.message.ConnectRequest;
import io.proxyrt.core.service.message.InitRequest;
import io.proxyrt.core.service.message.SetupRequest;
import io.proxyrt.core.service.message.SharedInitRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A rank's end of a connection: RCCL's {@code ncclConnector}. Two steps, between which the two ranks tell each other
 * their {@linkplain #setup() connect infos} by whatever means they have:
 * {@snippet :
 * byte[] mine = proxy.await(connector.setup(), timeout, "setup");
 * byte[] theirs = exchange(mine);
 * DeviceConnection connection = proxy.await(connector.connect(theirs), timeout, "connect");
 * }
 */
public final class Connector {
    /** Bytes of what two connectors tell each other, at most. */
    public static final int CONNECT_INFO_BYTES = TransportChoice.MAX_BYTES + ProxyTransport.CONNECT_INFO_BYTES;

    private final ProxyState proxy;
    private final TransportChoice choice;
    private final ProxyTransport transport;
    private final ConnectorRequest request;
    private volatile long connectionId;

    Connector(ProxyState proxy, TransportChoice choice, ConnectorRequest request) {
        this.proxy = proxy;
        this.choice = choice;
        this.transport = choice.transport();
        this.request = request;
    }

    /**
     * Which connection this is.
     *
     * @return as asked for
     */
    public ConnectorRequest request() {
        return request;
    }

    /**
     * What carries the connection.
     *
     * @return the name of a transport
     */
    public String transport() {
        return choice.name();
    }

    /**
     * Names the connection in {@linkplain io.proxyrt.core.op.ProxyOp#connection() ops}.
     *
     * @return 0 before {@link #setup()} is done
     */
    public long connectionId() {
        return connectionId;
    }

    /**
     * Whether ops have to be posted for what goes over the connection; if not, kernels do all of it.
     *
     * @return false if the transport has no progress in this direction
     */
    public boolean needsProxy() {
        return transport.progress(request.direction()) != null;
    }

    /**
     * Lets the peer's kernels read memory of this rank, where the transport can do that: then the connection's {@link
     * DeviceConnection#peerMemory} is not null.
     *
     * @return a new one, good for all connections with this peer
     */
    public PeerRegistrar registrar() {
        return new PeerRegistrar(proxy, choice.id(), request.peer());
    }

    /**
     * Makes the proxy's side and sets it up. Does not block; once.
     *
     * @return what the peer's connector needs, at most {@link #CONNECT_INFO_BYTES}
     */
    public CompletableFuture<byte[]> setup() {
        InitRequest init = new InitRequest(choice.id(), request.direction(), request.peer().rank());
        ServiceClient client = proxy.client();
        return client.callAsync(0, init).thenCompose(made -> {
            connectionId = made.connectionId();
            return client.callAsync(connectionId, new SetupRequest(transport.setupRequest(request)));
        }).thenApply(response -> choice.encode(transport.connectInfo(request, response)));
    }

    /**
     * Has the transport allocate what its connections share, ahead of them, in place of {@link #setup()}: RCCL's {@code
     * ncclProxyMsgSharedInit}. This connector then holds that, and connects to nothing. Does not block; once.
     *
     * @param nChannels that will share it
     * @return done when it is there
     */
    public CompletableFuture<Void> sharedInit(int nChannels) {
        InitRequest init = new InitRequest(choice.id(), request.direction(), request.peer().rank());
        ServiceClient client = proxy.client();
        return client.callAsync(0, init).thenCompose(made -> {
            connectionId = made.connectionId();
            return client.callAsync(connectionId, new SharedInitRequest(nChannels));
        }).thenAccept(any -> { });
    }

    /**
     * What the network carries out by itself.
     *
     * @return nothing, unless the transport is one for collectives
     */
    public CollNetSupport collNet() {
        return transport.collNet();
    }

    /**
     * The adapters that {@link ConnectorRequest#adapter()} counts for connections to the network.
     *
     * @return of the transport
     */
    public List<TransportAdapter> adapters() {
        return transport.adapters();
    }

    /**
     * Connects to the network, together with all others that do: RCCL's {@code collNetSharedConnect}. As {@link
     * #connect(byte[])}, but that it ends when all of them connect.
     *
     * @param infos what the connectors of all of them gave, this one's among them
     * @param rank  place of this one's
     * @return what the kernels need
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if one of them has another transport
     */
    public CompletableFuture<DeviceConnection> connect(List<byte[]> infos, int rank) {
        ByteBuffer all = CollNetInfos.encode(rank, infos.stream().map(info -> choice.requireSame(request, info))
                .toList());
        return connected(transport.connectRequest(request, all));
    }

    /**
     * Connects to the peer; ends when the peer connects too. Once, after {@link #setup()}. Where the transport shares
     * memory, this blocks until the peer's has been mapped, for {@link CoreOptions#CONNECT_TIMEOUT} at most: so it is
     * nothing to chain to a future, which the service thread would carry out. In {@link ThreadingMode#INVOKER} that
     * needs the peer's caller to drive its runtime.
     *
     * @param peerInfo what the peer's connector gave
     * @return what the kernels need
     * @throws ProxyException {@link ProxyResult#INVALID_USAGE} if the peer's connector has another transport
     */
    public CompletableFuture<DeviceConnection> connect(byte[] peerInfo) {
        proxy.begin(connectionId, request.peer(), transport.watch());
        return connected(transport.connectRequest(request, choice.requireSame(request, peerInfo)));
    }

    private CompletableFuture<DeviceConnection> connected(ByteBuffer body) {
        return proxy.client().callAsync(connectionId, new ConnectRequest(body)).thenApply(response -> {
            DeviceConnection device = transport.deviceConnection(request, response)
                    .with(peerName(), needsProxy());
            proxy.attach(connectionId, request.direction(), device);
            return device;
        });
    }

    private String peerName() {
        return "rank " + request.peer().rank() + ", channel " + request.channelId() + " (" + choice.name() + ")";
    }

    /**
     * Gives the connection back. Ops that still use it fail. Does not block.
     *
     * @return done when its resources are free
     */
    public CompletableFuture<Void> close() {
        return proxy.client().callAsync(connectionId, new CloseRequest());
    }

    @Override
    public String toString() {
        return request.toString();
    }
}
