/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.proxyrt.core.Direction;
import io.proxyrt.core.PeerId;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.Device;
import io.proxyrt.core.progress.ConnectorRequest;
import io.proxyrt.core.progress.PeerInfo;
import io.proxyrt.core.progress.PeerProcess;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.core.progress.ProxyArgs.State;
import io.proxyrt.core.progress.ProxyConnection;
import io.proxyrt.core.progress.TransportContext;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A rank's SHM transport, without threads: its connections are driven by hand. */
final class TestProxy implements AutoCloseable {
    static final long BUFFER_BYTES = 64 << 10;

    final int rank;
    final Device device;
    final Counters counters;
    final ShmTransport transport;
    private final List<TestEnd> ends = new ArrayList<>();

    TestProxy(int rank, TestHost host, Device device, Path folder, Map<String, String> options) {
        this.rank = rank;
        this.device = device;
        ProxyConfig.Builder builder = ProxyConfig.builder().environment(Map.of())
                .set("buffer.bytes", Long.toString(BUFFER_BYTES + 1));
        options.forEach(builder::set);
        ProxyConfig config = builder.build();
        counters = Counters.create(folder.resolve("counters-" + rank + '-' + System.nanoTime()), "test", rank, 2);
        transport = new ShmTransport(new TransportContext(config, rank, device, counters, null),
                new SegmentKinds(config, device, host.of(rank)));
    }

    static PeerInfo info(int rank) {
        return new PeerInfo(rank, new PeerProcess(1, 1, 1, 1, 7, 1),
                InetSocketAddress.createUnresolved("localhost", 1), TestHost.address(rank));
    }

    /** One end of a connection; the proxy's own rank made it. */
    TestEnd end(Direction direction, int peer, int channel) {
        ConnectorRequest request = new ConnectorRequest(direction, info(rank), info(peer), channel, 0);
        TestEnd end = new TestEnd(this, request,
                new ProxyConnection(ends.size() + 1, transport, direction, peer, new PeerId(rank, rank)));
        ends.add(end);
        return end;
    }

    /** A connection that another rank makes at this proxy. */
    TestEnd endOf(int owner) {
        TestEnd end = new TestEnd(this, null,
                new ProxyConnection(ends.size() + 1, transport, Direction.SEND, rank, new PeerId(owner, owner)));
        ends.add(end);
        return end;
    }

    /** One pass; 0 for a group that is over. */
    int advance(ProxyArgs args) {
        transport.poll(1);
        return args.state == State.NONE ? 0
                : transport.progress(args.sub(0).connection.direction()).advance(args);
    }

    @Override
    public void close() {
        ends.forEach(TestEnd::free);
        List<?> leaked = counters.memory().open();
        transport.close();
        device.close();
        counters.close();
        assertEquals(List.of(), leaked, "memory that is not given back");
    }
}
