/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.collnet;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.ProxyResult;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.device.DeviceMemory;
import io.proxyrt.core.device.host.HostDevice;
import io.proxyrt.core.progress.CollNetInfos;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.ProxyRegistration;
import io.proxyrt.core.progress.TransportContext;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A head of a host: its proxy's transport without threads, and the connections of its channels. One thread. */
final class TestHead implements AutoCloseable {
    static final int RANKS = 64;
    static final PeerInfo NETWORK = PeerInfo.network(RANKS);

    final int rank;
    final Device device;
    final CollNetTransport transport;
    final List<End> ends = new ArrayList<>();
    private final PeerInfo self;
    private long lastHandle;

    TestHead(int rank, SimulatedCollNet net, ProxyConfig config, Counters counters) {
        this(rank, net, config, counters, new HostDevice(0));
    }

    /** On a device, which it closes. */
    TestHead(int rank, SimulatedCollNet net, ProxyConfig config, Counters counters, Device device) {
        this.rank = rank;
        this.device = device;
        this.self = info(rank);
        this.transport = new CollNetTransport(new TransportContext(config, rank, device, counters, null),
                new CollNetSelection(net.plugin(), List.of("simulated")));
    }

    static PeerInfo info(int rank) {
        return new PeerInfo(rank, new PeerProcess(1, 1, 1, 1, 1, 1), InetSocketAddress.createUnresolved("localhost", 1),
                "");
    }

    /** What a client and a service do to one connection. */
    final class End {
        final ConnectorRequest request;
        final ProxyConnection connection;
        /** What the kernels have; null until connected. */
        DeviceConnection kernelEnd;

        private End(ConnectorRequest request) {
            this.request = request;
            this.connection = new ProxyConnection(ends.size() + 1, transport, request.direction(),
                    request.peer().rank(), new PeerId(rank, rank));
        }

        /** Returns the connect info. */
        ByteBuffer setUp() {
            ByteBuffer response = ByteBuffer.allocate(4096);
            ProxyResult result = transport.proxySetup(connection, transport.setupRequest(request), response);
            assert result == ProxyResult.SUCCESS : result;
            return transport.connectInfo(request, response.flip());
        }

        /** Returns whether it is connected. */
        boolean connect(CollNetInfos infos) {
            ByteBuffer response = ByteBuffer.allocate(4096);
            ByteBuffer body = transport.connectRequest(request, CollNetInfos.encode(infos.rank(), infos.infos()));
            if (kernelEnd == null && transport.proxyConnect(connection, body, response) == ProxyResult.SUCCESS) {
                kernelEnd = transport.deviceConnection(request, response.flip());
            }
            return kernelEnd != null;
        }

        /** As the service does. */
        ProxyRegistration register(DeviceMemory memory, long offset, long bytes) {
            ProxyRegistration registration = new ProxyRegistration(++lastHandle, memory, false, offset, bytes);
            transport.proxyRegister(connection, registration);
            connection.add(registration);
            return registration;
        }

        CollNetResources resources() {
            return (CollNetResources) connection.resources();
        }

        void free() {
            connection.registrations().forEach(registration -> {
                connection.remove(registration);
                transport.proxyDeregister(connection, registration);
            });
            transport.proxyFree(connection);
        }
    }

    End end(Direction direction, int channel, int head) {
        End end = new End(new ConnectorRequest(direction, self, NETWORK, channel, head));
        ends.add(end);
        return end;
    }

    End end(Direction direction, int channel, int head, int adapter) {
        End end = new End(new ConnectorRequest(direction, self, NETWORK, channel, head, adapter));
        ends.add(end);
        return end;
    }

    End end(Direction direction, int channel) {
        return end(direction, channel, 0);
    }

    /** A connection that announces channels. */
    End announce(int channels) {
        End holder = end(Direction.SEND, 0);
        transport.proxySharedInit(holder.connection, channels, ByteBuffer.allocate(64));
        return holder;
    }

    /** Announces and sets up channels; their ends are in {@link #ends}, from 1 on, receive and send in turn. */
    List<ByteBuffer> setUp(int channels) {
        announce(channels);
        List<ByteBuffer> infos = new ArrayList<>();
        for (int channel = 0; channel < channels; channel++) {
            infos.add(end(Direction.RECV, channel).setUp());
            end(Direction.SEND, channel).setUp();
        }
        return infos;
    }

    End recv(int channel) {
        return ends.get(1 + 2 * channel);
    }

    End send(int channel) {
        return ends.get(2 + 2 * channel);
    }

    /** Connects all channels of all heads. */
    static void connect(List<TestHead> heads, int channels) {
        List<List<ByteBuffer>> infos = heads.stream().map(head -> head.setUp(channels)).toList();
        boolean isDone = false;
        while (!isDone) {
            isDone = true;
            for (TestHead head : heads) {
                for (int channel = 0; channel < channels; channel++) {
                    int at = channel;
                    CollNetInfos all = new CollNetInfos(head.rank, infos.stream().map(list -> list.get(at)).toList());
                    isDone &= head.recv(channel).connect(all) & head.send(channel).connect(all);
                }
            }
        }
    }

    /** Why no op of it can go on; null while they can. */
    String fault() {
        return send(0).resources().shared().fault();
    }

    /** One pass; 0 for a group that is over. */
    int advance(ProxyArgs args) {
        return args.state == State.NONE ? 0
                : transport.progress(args.sub(0).connection.direction()).advance(args);
    }

    @Override
    public void close() {
        ends.forEach(End::free);
        transport.close();
        device.close();
    }
}
