/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerInfo;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.RecvMem;
import io.proxyrt.core.device.SendMem;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.spi.ConnectorRequest;
import io.proxyrt.core.spi.ProxyProgress;
import io.proxyrt.core.spi.ProxyTransport;
import io.proxyrt.core.spi.TransportContext;
import io.proxyrt.transport.net.NetMessages.ConnectMap;
import io.proxyrt.transport.net.NetMessages.Setup;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.LockSupport;

/** The NET transport with dedicated connections: each has a comm and a Simple buffer of its own. */
final class NetTransport implements ProxyTransport {
    /** Keeps every slot aligned to 128 bytes. */
    private static final long BUFFER_UNIT = 128L * DeviceConnection.STEPS;

    private final TransportContext context;
    private final NetSelection net;
    private final ProxyProgress sendProgress;
    private final ProxyProgress recvProgress;

    NetTransport(TransportContext context, NetSelection net) {
        this.context = context;
        this.net = net;
        this.sendProgress = new SendProgress(context.rank(), context.counters());
        this.recvProgress = new RecvProgress(context.counters());
    }

    @Override
    public String whyNot(PeerInfo self, PeerInfo peer) {
        return net.plugin() == null ? "no network can be used: " + net.describe() : "";
    }

    @Override
    public String describe() {
        return net.describe();
    }

    @Override
    public ByteBuffer setupRequest(ConnectorRequest request) {
        int netDev = net.plugin() == null ? 0 : request.channelId() % net.plugin().devices();
        return new Setup(request.peer().rank(), request.channelId(), request.connIndex(), netDev).encode();
    }

    @Override
    public ByteBuffer connectInfo(ConnectorRequest request, ByteBuffer setupResponse) {
        if (request.direction() == Direction.SEND) {
            return NetMessages.senderInfo(request.self().rank());
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
            requireRank(request.peer().rank(), NetMessages.senderRank(peerInfo, what), what);
        }
        return peerInfo.slice();
    }

    @Override
    public DeviceConnection deviceConnection(ConnectorRequest request, ByteBuffer connectResponse) {
        ConnectMap map = ConnectMap.decode(connectResponse);
        MemorySegment memory = context.device().memory(map.memoryId()).segment();
        try {
            return DeviceConnection.dedicated(new SendMem(memory.asSlice(map.sendMem(), SendMem.BYTES)),
                    new RecvMem(memory.asSlice(map.recvMem(), RecvMem.BYTES)), null, null,
                    memory.asSlice(map.buffer(), map.bufferBytes()));
        } catch (IndexOutOfBoundsException e) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT, "NET Connect response points outside of memory "
                    + map.memoryId() + " of " + memory.byteSize() + " bytes: " + map, e);
        }
    }

    @Override
    public ProxyResult proxySetup(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        Setup setup = Setup.decode(request);
        requireRank(connection.peer(), setup.remoteRank(), "Setup request");
        if (net.plugin() == null) {
            throw new ProxyException(ProxyResult.INVALID_USAGE, "no network can be used: " + net.describe());
        }
        NetResources resources = new NetResources(setup.netDev());
        if (connection.direction() == Direction.RECV) {
            NetMessages.encodeHandle(resources.listen(net.plugin()), response);
        } else {
            net.plugin().properties(setup.netDev());
        }
        connection.resources(resources);
        return ProxyResult.SUCCESS;
    }

    @Override
    public ProxyResult proxyConnect(ProxyConnection connection, ByteBuffer request, ByteBuffer response) {
        NetResources resources = (NetResources) connection.resources();
        boolean isThere = connection.direction() == Direction.SEND ? connect(resources, request)
                : accept(connection, resources, request);
        if (!isThere) {
            return ProxyResult.IN_PROGRESS;
        }
        long bufferBytes = context.config().get(CoreOptions.BUFFER_BYTES) / BUFFER_UNIT * BUFFER_UNIT;
        resources.allocate(context.device(), bufferBytes).encode(response);
        return ProxyResult.SUCCESS;
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

    @Override
    public void park(long maxNs) {
        if (net.plugin() == null) {
            LockSupport.parkNanos(maxNs);
        } else {
            net.plugin().park(maxNs);
        }
    }

    @Override
    public void close() {
        if (net.plugin() != null) {
            net.plugin().close();
        }
    }

    private boolean connect(NetResources resources, ByteBuffer request) {
        try {
            return resources.connect(net.plugin(), NetMessages.handle(request, "Connect request"));
        } catch (ProxyException e) {
            resources.dropAttempt();
            throw e;
        }
    }

    private static boolean accept(ProxyConnection connection, NetResources resources, ByteBuffer request) {
        requireRank(connection.peer(), NetMessages.senderRank(request, "Connect request"), "Connect request");
        return resources.accept();
    }

    private static void requireRank(int expected, int actual, String what) {
        if (expected != actual) {
            throw new ProxyException(ProxyResult.INVALID_ARGUMENT,
                    "NET " + what + " is about rank " + actual + ", not rank " + expected);
        }
    }
}
