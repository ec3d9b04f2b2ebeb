/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyException;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyTransport;
import io.proxyrt.core.progress.TransportContext;
import io.proxyrt.core.transport.ConnectionMemory;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A proxy's NET transport, without threads: its connections are driven by hand. */
final class TestProxy implements AutoCloseable {
    final Device device;
    final Counters counters;
    final ProxyTransport transport;
    private final List<TestEnd> ends = new ArrayList<>();
    private final PeerId owner;

    /** With a network of the test's, or over loopback if it is null. The counters stay the caller's. */
    TestProxy(int rank, ProxyConfig config, NetPlugin net, Counters counters) {
        this(rank, config, net, counters, new HostDevice(0));
    }

    /** On a device, which it closes. */
    TestProxy(int rank, ProxyConfig config, NetPlugin net, Counters counters, Device device) {
        this.device = device;
        this.counters = counters;
        this.owner = new PeerId(rank, rank);
        TransportContext context = new TransportContext(config, rank, device, counters, null);
        transport = net == null ? new NetTransportProvider().create(context)
                : new NetTransport(context, new NetSelection(net, List.of(net.describe())));
    }

    static PeerInfo info(int rank) {
        return new PeerInfo(rank, new PeerProcess(1, 1, 1, 1, 1, 1), InetSocketAddress.createUnresolved("localhost", 1),
                "");
    }

    /** One end of a connection between two ranks; the proxy's own peer posts its ops. */
    TestEnd end(Direction direction, int self, int peer, int channel, int connIndex) {
        return end(direction, self, peer, channel, connIndex, owner);
    }

    TestEnd end(Direction direction, int self, int peer, int channel, int connIndex, PeerId poster) {
        ConnectorRequest request = new ConnectorRequest(direction, info(self), info(peer), channel, connIndex);
        TestEnd end = new TestEnd(this, request,
                new ProxyConnection(ends.size() + 1, transport, direction, peer, poster));
        ends.add(end);
        return end;
    }

    /** One pass; 0 for a group that is over. */
    int advance(ProxyArgs args) {
        return args.state == State.NONE ? 0
                : transport.progress(args.sub(0).connection.direction()).advance(args);
    }

    /** Pools and comms in use that connections share. */
    int shared() {
        return ((NetTransport) transport).shared();
    }

    /** What its connections' memory comes from. */
    ConnectionMemory memory() {
        return ((NetTransport) transport).memory();
    }

    @Override
    public void close() {
        ProxyException failure = null;
        for (TestEnd end : ends) {
            try {
                end.free();
            } catch (ProxyException e) {
                failure = e;
            }
        }
        transport.close();
        device.close();
        if (failure != null) {
            throw failure;
        }
    }
}
