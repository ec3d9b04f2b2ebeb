/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.Subsystem;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.host.Devices;
import io.proxyrt.core.platform.Closing;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyProgress;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportAdapter;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.core.transport.Shares.Lease;
import io.proxyrt.transport.net.MrCache.Mr;
import io.proxyrt.transport.net.NetMessages.Sender;
import io.proxyrt.transport.net.NetMessages.Setup;
import java.nio.ByteBuffer;
import java.util.List;
import org.slf4j.Logger;

/**
 * The NET transport: dedicated connections, each with a comm and buffers of its own, and shared ones, whose Simple
 * slots come from a pool of their posting peer, and which may share a comm.
 */
final class NetTransport implements ProxyTransport {
    private static final Logger TRACE = Subsystem.NET.logger("trace");

    static final String NAME = "NET";

    private final TransportContext context;
    private final ConnectionMemory memory;
    private final NetSelection net;
    private final List<TransportAdapter> adapters;
    private final NetSettings settings;
    private final SharedPools pools;
    private final CommLinks links;
    private final ProxyProgress sendProgress;
    private final ProxyProgress recvProgress;

    NetTransport(TransportContext context, NetSelection net) {
        this.context = context;
        this.net = net;
        this.adapters = net.adapters();
        this.settings = NetSettings.of(context.config(),
                !context.device().attributes().kind().equals(Devices.HOST));
        this.memory = new ConnectionMemory(context.device(), context.config(), context.counters().memory());
        this.pools = new SharedPools(memory, context.counters().memory(), settings.channels(), settings.chunkBytes());
        this.links = new CommLinks(net.plugin(), settings.sharesComms());
        int maxRecvs = net.maxRecvs();
        this.sendProgress = traced(new SendProgress(context.counters(), maxRecvs));
        this.recvProgress = traced(new RecvProgress(context.counters(), maxRecvs, settings.untracksLl()));
    }

    private ProxyProgress traced(ProxyProgress progress) {
        return context.config().get(NetOptions.TRACE) == 0 ? progress
                : new TracingProgress(context.rank(), progress, TRACE::info);
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        if (net.plugin() == null) {
            return "no network can be used: " + net.describe();
        }
        boolean isBarred = context.config().get(NetOptions.DISABLE_INTRA) != 0 && self.isSameHost(peer);
        return isBarred ? "rank " + peer.rank() + " is on the same host, and " + NetOptions.DISABLE_INTRA + " is 1"
                : "";
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
        int netDev = request.adapter() != ConnectorRequest.ANY_ADAPTER ? request.adapter()
                : net.plugin() == null ? 0 : request.channelId() % net.plugin().devices();
        return new Setup(request.self().rank(), request.peer().rank(), request.channelId(), request.connIndex(), netDev,
                settings.sharesBuffers() && request.connIndex() == 1).encode();
    }

    @Override
    public ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse) {
        if (request.direction() == Direction.SEND) {
            return NetMessages.sender(request.self().rank(), setupResponse).encode();
        }
        NetMessages.handle(setupResponse, "Setup response");
        return setupResponse.slice();
    }

    @Override
    public ByteBuffer connectRequest(ConnectorRequest request, ByteBuffer peerInfo) {
        String what = "connect info of rank " + request.peer().rank();
        if (request.direction() == Direction.SEND) {
            NetMessages.handle(peerInfo, what);
        } else {
            requireRank(request.peer().rank(), Sender.decode(peerInfo, what).rank(), what);
        }
        return peerInfo.slice();
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        return ConnectMap.decode(connectResponse).resolve(context.device());
    }

    @Override
    public ProxyResult proxySharedInit(ProxyConnection connection, int nChannels, ByteBuffer response) {
        requireNew(connection);
        connection.resources(new NetResources(connection.direction(),
                pools.acquireAll(connection.owner(), connection.direction(), nChannels, gdr(0) != null)));
        return ProxyResult.SUCCESS;
    }

    @Override
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        Setup setup = Setup.decode(request);
        requireRank(connection.peer(), setup.remoteRank(), "Setup request");
        requireNew(connection);
        if (net.plugin() == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "no network can be used: " + net.describe());
        }
        int maxRecvs = net.plugin().properties(setup.netDev()).maxRecvs();
        NetResources resources = new NetResources(setup, connection.direction(), context.counters().memory().open(NAME,
                connection.id(), connection.peer(), connection.direction()));
        resources.maxRecvs = maxRecvs;
        resources.needsFlush = settings.forcesFlush();
        connection.resources(resources);
        try {
            setUp(connection, resources, response);
        } catch (RuntimeException e) {
            proxyFree(connection);
            throw e;
        }
        return ProxyResult.SUCCESS;
    }

    private void setUp(ProxyConnection connection, NetResources resources, ByteBuffer response) {
        Setup setup = resources.setup;
        Gdr gdr = gdr(setup.netDev());
        if (gdr != null) {
            resources.use(gdr);
        }
        if (connection.direction() == Direction.RECV) {
            resources.listen(net.plugin());
            NetMessages.encodeHandle(resources.handle(), response);
        } else {
            CommLink.Send link = links.send(setup);
            resources.link(link);
            NetMessages.encodeSenderResponse(context.rank(), link.id(), response);
        }
        if (setup.isShared()) {
            Lease<SharedPool> lease = pools.acquire(connection.owner(), connection.direction(), setup.channelId(),
                    resources.usesGdr());
            resources.lease(lease);
            connection.share(lease.shared().queue(setup.channelId()));
        }
    }

    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        NetResources resources = (NetResources) connection.resources();
        boolean isThere = connection.direction() == Direction.SEND ? connect(resources, request)
                : accept(connection, resources, request);
        if (!isThere) {
            return ProxyResult.IN_PROGRESS;
        }
        resources.allocate(memory, settings).encode(response);
        return ProxyResult.SUCCESS;
    }

    @Override
    public ProxyResult proxyRegister(ProxyConnection connection, ProxyRegistration registration) {
        registration.mhandle(((NetResources) connection.resources()).register(registration.memory(),
                registration.range()));
        return ProxyResult.SUCCESS;
    }

    @Override
    public void proxyDeregister(ProxyConnection connection, ProxyRegistration registration) {
        if (registration.mhandle() instanceof Mr mr) {
            mr.close();
        }
    }

    @Override
    public void proxyFree(ProxyConnection connection) {
        NetResources resources = (NetResources) connection.resources();
        if (resources != null) {
            connection.resources(null);
            resources.free();
        }
    }

    @Override
    public ProxyProgress progress(Direction direction) {
        return direction == Direction.SEND ? sendProgress : recvProgress;
    }

    /** {@inheritDoc} One op asks for itself more cheaply. */
    @Override
    public void poll(int ops) {
        if (ops > 1 && net.plugin() != null) {
            net.plugin().poll();
        }
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

    /** Pools and shared comms that are in use; for tests. */
    int shared() {
        return pools.size() + links.shared();
    }

    /** Null if the network's device does not reach the GPU's memory. */
    private Gdr gdr(int netDev) {
        return net.plugin() == null ? null : Gdr.of(context.device(), net.plugin(), netDev, settings);
    }

    private boolean connect(NetResources resources, ByteBuffer request) {
        try {
            return resources.connect(net.plugin(), NetMessages.handle(request, "Connect request"));
        } catch (ProxyException e) {
            resources.dropAttempt();
            throw e;
        }
    }

    private boolean accept(ProxyConnection connection, NetResources resources, ByteBuffer request) {
        Sender sender = Sender.decode(request, "Connect request");
        requireRank(connection.peer(), sender.rank(), "Connect request");
        if (resources.link() == null || !sender.equals(resources.sender())) {
            resources.leaveLink();
            resources.link(links.recv(sender, resources.setup.netDev()), sender);
        }
        return resources.accept();
    }

    private static void requireNew(ProxyConnection connection) {
        if (connection.resources() != null) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "NET Setup of " + connection + ", which is set up");
        }
    }

    private static void requireRank(int expected, int actual, String what) {
        if (expected != actual) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "NET " + what + " is about rank " + actual + ", not rank " + expected);
        }
    }
}
