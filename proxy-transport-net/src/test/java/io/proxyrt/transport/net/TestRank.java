/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.transport.net;

import io.proxyrt.core.Direction;
import io.proxyrt.core.config.CoreOptions;
import io.proxyrt.core.config.ProxyConfig;
import io.proxyrt.core.counters.Counters;
import io.proxyrt.core.device.DeviceConnection;
import io.proxyrt.core.progress.ProxyArgs;
import io.proxyrt.transport.net.spi.NetPlugin;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;

/** One runtime's part of a dedicated connection between ranks 0 and 1, without its threads. */
final class TestRank implements AutoCloseable {
    static final long BUFFER_BYTES = 64 << 10;

    final Counters counters;
    final TestProxy proxy;
    final TestEnd end;

    /** With a network of the test's, or over loopback if it is null. */
    TestRank(Direction direction, NetPlugin net, Path folder) {
        int rank = direction == Direction.SEND ? 0 : 1;
        ProxyConfig config = ProxyConfig.builder().environment(Map.of()).set(SocketOptions.IFNAME, "lo")
                .set(CoreOptions.BUFFER_BYTES, BUFFER_BYTES + 1).build();
        counters = Counters.create(folder.resolve("counters-" + rank), "test", rank, 2);
        proxy = new TestProxy(rank, config, net, counters);
        end = proxy.end(direction, rank, 1 - rank, 0, 0);
    }

    static void connect(TestRank one, TestRank other) {
        TestEnd.connect(one.end, other.end);
    }

    ByteBuffer setUp() {
        return end.setUp();
    }

    boolean connect(ByteBuffer peerInfo) {
        return end.connect(peerInfo);
    }

    DeviceConnection kernelEnd() {
        return end.kernelEnd;
    }

    ProxyArgs op(int nsteps, int slice, int chunk) {
        return ProxyArgs.of(end.connection, 2, nsteps, slice, chunk, slice * BUFFER_BYTES / DeviceConnection.STEPS);
    }

    /** One pass; 0 for an op that is over. */
    int advance(ProxyArgs args) {
        return proxy.advance(args);
    }

    void free() {
        end.free();
    }

    @Override
    public void close() {
        proxy.close();
        counters.close();
    }
}
