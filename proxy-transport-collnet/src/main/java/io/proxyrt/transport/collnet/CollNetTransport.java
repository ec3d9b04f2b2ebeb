/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.counters.MemoryAccount;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.CollNetInfos;
import io.proxyrt.core.progress.CollNetSupport;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.ConnectorEnd;
import io.proxyrt.transport.collnet.CollNetMessages.Info;
import io.proxyrt.transport.collnet.CollNetMessages.Setup;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The COLLNET transport: connections of a head to its network, all of which share a buffer and a comm, and whose ops
 * make calls together.
 */
final class CollNetTransport implements ProxyTransport {
    static final String NAME = "COLLNET";

    /** Keeps every slot aligned to 128 bytes. */
    private static final long SLOT_UNIT = 128;

    private final TransportContext context;
    private final ConnectionMemory memory;
    private final CollNetSelection net;
    private final CollNetSupport support;
    private final List<TransportAdapter> adapters;
    private final CollNetShares shares;
    private final ProxyProgress sendProgress;
    private final ProxyProgress recvProgress;

    CollNetTransport(TransportContext context, CollNetSelection net) {
        this.context = context;
        this.net = net;
        this.support = net.support();
        this.memory = new ConnectionMemory(context.device(), context.config(), context.counters().memory());
        long slotBytes = context.config().get(CoreOptions.BUFFER_BYTES) / DeviceConnection.STEPS / SLOT_UNIT
                * SLOT_UNIT;
        this.adapters = net.adapters();
        this.shares = new CollNetShares(net.plugin(), memory, context.counters().memory(), slotBytes);
        this.sendProgress = new SendProgress(context.counters());
        this.recvProgress = new RecvProgress(context.counters());
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        if (!peer.isNetwork()) {
            return "it carries what a network combines, and no messages between ranks";
        }
        return net.plugin() == null ? noNetwork() : "";
    }

    private String noNetwork() {
        return "no network that carries out collectives can be used: " + net.describe();
    }

    @Override
    public boolean isCollective() {
        return true;
    }

    @Override
    public CollNetSupport collNet() {
        return support;
    }

    @Override
    public List<TransportAdapter> adapters() {
        return adapters;
    }

    @Override
    public String describe() {
        return net.describe();
    }

    @Override
    public ByteBuffer setupRequest(ConnectorRequest request) {
        return new Setup(ConnectorEnd.of(request), request.adapter()).encode();
    }

    @Override
    public ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse) {
        if (request.direction() == Direction.SEND) {
            CollNetMessages.checkSender(setupResponse);
        } else {
            Info.decode(setupResponse, "Setup response");
        }
        return setupResponse.slice();
    }

    @Override
    public ByteBuffer connectRequest(ConnectorRequest request, ByteBuffer peerInfo) {
        CollNetMessages.infos(CollNetInfos.decode(peerInfo.slice()));
        return peerInfo.slice();
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        return CollNetMap.decode(connectResponse).resolve(context.device());
    }

    /** {@inheritDoc} The buffers themselves are made when the first connection of a head says which adapter it uses. */
    @Override
    public ProxyResult proxySharedInit(ProxyConnection connection, int nChannels, ByteBuffer response) {
        requireNew(connection);
        connection.resources(shares.announce(connection.owner(), nChannels));
        return ProxyResult.SUCCESS;
    }

    @Override
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        Setup setup = Setup.decode(request, connection.direction(), connection.peer());
        requireNew(connection);
        if (net.plugin() == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, noNetwork());
        }
        CollNetResources resources = resources(connection, setup);
        connection.resources(resources);
        CollNetShared shared = resources.shared();
        connection.share(shared.queue(connection.direction()));
        if (connection.direction() == Direction.SEND) {
            CollNetMessages.encodeSender(response);
        } else {
            new Info(shared.maxCollBytes(), shared.handle()).encode(response);
        }
        return ProxyResult.SUCCESS;
    }

    private CollNetResources resources(ProxyConnection connection, Setup setup) {
        MemoryAccount account = context.counters().memory().open(NAME, connection.id(), connection.peer(),
                connection.direction());
        try {
            return new CollNetResources(setup.end().channelId(), connection.direction(),
                    shares.acquire(connection.owner(), setup), account);
        } catch (RuntimeException | Error e) {
            account.close();
            throw e;
        }
    }

    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        CollNetResources resources = (CollNetResources) connection.resources();
        if (!resources.shared().connect(CollNetInfos.decode(request.slice()))) {
            return ProxyResult.IN_PROGRESS;
        }
        resources.allocate(memory).encode(response);
        resources.shared().connected(connection, resources.channelId);
        connection.peerName(resources.shared().comm().network());
        connection.expend();
        return ProxyResult.SUCCESS;
    }

    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        CollNetResources resources = (CollNetResources) connection.resources();
        registration.mhandle(UserMemory.register(resources.shared().comm(), context.device(), registration.memory(),
                registration.range()));
        return ProxyResult.SUCCESS;
    }

    @Override
    public void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
        if (registration.mhandle() instanceof UserMemory user) {
            user.close();
        }
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        Object resources = connection.resources();
        connection.resources(null);
        if (resources instanceof CollNetResources own) {
            own.free();
        } else {
            new Closing().add((AutoCloseable) resources).end();
        }
    }

    @Override
    public ProxyProgress progress(Direction direction) {
        return direction == Direction.SEND ? sendProgress : recvProgress;
    }

    @Override
    public boolean isWaitable() {
        return net.plugin() != null;
    }

    @Override
    public void park(long maxNs) {
        net.plugin().park(maxNs);
    }

    @Override
    public void close() {
        new Closing().add(net.plugin()).add(memory).end();
    }

    /** For tests. */
    ConnectionMemory memory() {
        return memory;
    }

    /** Heads, and announcements of heads, that are in use; for tests. */
    int shared() {
        return shares.size();
    }

    private static void requireNew(ProxyConnection connection) {
        if (connection.resources() != null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "COLLNET Setup of " + connection + ", which is set up");
        }
    }
}
