/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerInfo;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.HostDevice;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.spi.ConnectorRequest;
import io.proxyrt.core.spi.ProxyTransport;
import io.proxyrt.core.spi.TransportContext;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** One runtime's part of a connection between ranks 0 and 1, without its threads. */
final class TestRank implements AutoCloseable {
    static final long BUFFER_BYTES = 64 << 10;

    final HostDevice device = new HostDevice(0);
    final Counters counters;
    final ProxyTransport transport;
    final ConnectorRequest request;
    final ProxyConnection connection;
    /** Null until connected. */
    DeviceConnection kernelEnd;

    /** With a network of the test's, or over loopback if it is null. */
    TestRank(Direction direction, NetPlugin net, Path folder) {
        int rank = direction == Direction.SEND ? 0 : 1;
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(SocketOptions.IFNAME, "lo")
                .set(CoreOptions.BUFFER_BYTES, BUFFER_BYTES + 1).build();
        counters = Counters.create(folder.resolve("counters-" + rank), "test", rank, 2);
        TransportContext context = new TransportContext(config, rank, device, counters);
        transport = net == null ? new NetTransportProvider().create(context)
                : new NetTransport(context, new NetSelection(net, List.of(net.describe())));
        request = new ConnectorRequest(direction, info(rank), info(1 - rank), 0, 0);
        connection = new ProxyConnection(rank + 1, transport, direction, 1 - rank);
    }

    static PeerInfo info(int rank) {
        return new PeerInfo(rank, 1, 1, 1, InetSocketAddress.createUnresolved("localhost", 1), "");
    }

    static void connect(TestRank one, TestRank other) {
        ByteBuffer oneInfo = one.setUp();
        ByteBuffer otherInfo = other.setUp();
        while (!(one.connect(otherInfo) & other.connect(oneInfo))) {
            Thread.onSpinWait();
        }
    }

    /** Returns the connect info for the peer. */
    ByteBuffer setUp() {
        ByteBuffer response = ByteBuffer.allocate(4096);
        if (transport.proxySetup(connection, transport.setupRequest(request), response) != ProxyResult.SUCCESS) {
            throw new AssertionError("Setup is done at once");
        }
        return transport.connectInfo(request, response.flip());
    }

    /** Returns whether it is connected. */
    boolean connect(ByteBuffer peerInfo) {
        if (kernelEnd == null) {
            ByteBuffer response = ByteBuffer.allocate(4096);
            ByteBuffer body = transport.connectRequest(request, peerInfo);
            if (transport.proxyConnect(connection, body, response) == ProxyResult.SUCCESS) {
                kernelEnd = transport.deviceConnection(request, response.flip());
            }
        }
        return kernelEnd != null;
    }

    ProxyArgs op(int nsteps, int slice, int chunk) {
        return ProxyArgs.of(connection, 2, nsteps, slice, chunk, slice * BUFFER_BYTES / DeviceConnection.STEPS);
    }

    /** One pass; 0 for an op that is over. */
    int advance(ProxyArgs args) {
        return args.state == State.NONE ? 0 : transport.progress(request.direction()).advance(args);
    }

    @Override
    public void close() {
        transport.proxyFree(connection);
        transport.close();
        device.close();
        counters.close();
    }
}
