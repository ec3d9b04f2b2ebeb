/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.p2p;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.PeerDevice;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.TransportContext;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A rank's P2P transport, without threads and without a UDS thread: its connections are driven by hand. */
final class TestRank implements AutoCloseable {
    final int rank;
    final Device device;
    final P2pTransport transport;
    private final Counters counters;
    private final List<ProxyConnection> connections = new ArrayList<>();

    TestRank(int rank, Device device, Path folder, Map<String, String> options) {
        this.rank = rank;
        this.device = device;
        ProxyConfig.Builder config = ProxyConfig.builder().environment(Map.of()).set("p2p.host", "1")
                .set("buffer.bytes", "64K");
        options.forEach(config::set);
        counters = Counters.create(folder.resolve("counters-" + rank), "test", rank, 2);
        transport = new P2pTransport(new TransportContext(config.build(), rank, device, counters, null));
    }

    PeerInfo info() {
        return info(1, PeerDevice.of(device));
    }

    /** Of a rank elsewhere. */
    PeerInfo info(long hostHash, PeerDevice described) {
        return new PeerInfo(rank, new PeerProcess(hostHash, 1, 1, 1, 7, 1),
                InetSocketAddress.createUnresolved("localhost", 1), "", described);
    }

    ConnectorRequest request(Direction direction, TestRank peer, int channel) {
        return new ConnectorRequest(direction, info(), peer.info(), channel, 0);
    }

    ProxyConnection connection(Direction direction, TestRank peer) {
        ProxyConnection connection = new ProxyConnection(connections.size() + 1, transport, direction, peer.rank,
                new PeerId(rank, rank));
        connections.add(connection);
        return connection;
    }

    /** Returns the connect info for the peer. */
    ByteBuffer setUp(ProxyConnection connection, ConnectorRequest request) {
        ByteBuffer response = ByteBuffer.allocate(4096);
        assertEquals(ProxyResult.SUCCESS,
                transport.proxySetup(connection, transport.setupRequest(request), response));
        return transport.connectInfo(request, response.flip());
    }

    /** Null as long as it is pending. */
    DeviceConnection connect(ProxyConnection connection, ConnectorRequest request, ByteBuffer connectRequest) {
        ByteBuffer response = ByteBuffer.allocate(4096);
        return transport.proxyConnect(connection, connectRequest.duplicate(), response) == ProxyResult.SUCCESS
                ? transport.deviceConnection(request, response.flip()) : null;
    }

    void free() {
        connections.forEach(transport::proxyFree);
    }

    @Override
    public void close() {
        free();
        List<?> leaked = counters.memory().open();
        transport.close();
        device.close();
        counters.close();
        assertEquals(List.of(), leaked, "memory that is not given back");
    }
}
