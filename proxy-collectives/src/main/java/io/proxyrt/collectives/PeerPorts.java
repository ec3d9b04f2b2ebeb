/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.Port;
import io.proxyrt.core.Connector;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import java.util.concurrent.CompletableFuture;

/**
 * Connections both ways with other ranks, made when they are first needed. The ranks of a pair connect both ways at
 * once: so it does not matter which of them sends first.
 */
final class PeerPorts {
    private final RingSetup setup;
    private final int channel;
    private final int connIndex;
    private final Pair[] pairs;

    /** Ports of that channel and connIndex, none connected. */
    PeerPorts(RingSetup setup, int channel, int connIndex) {
        this.setup = setup;
        this.channel = channel;
        this.connIndex = connIndex;
        this.pairs = new Pair[setup.nRanks()];
    }

    /** Both connections with a rank, and the kernels' way to use them. */
    record Pair(ConnectionEnd send, Port sendPort, ConnectionEnd recv, Port recvPort) {
        long stepBytes(Protocol protocol) {
            return send.device().stepBytes(protocol);
        }
    }

    Pair pair(int peer) {
        return pairs[peer];
    }

    /** Connects with both ranks, if that was not done. Tells both before it waits for any, so that rings don't lock. */
    void connect(int first, int second) {
        Pending one = pairs[first] == null ? announce(first) : null;
        Pending two = second != first && pairs[second] == null ? announce(second) : null;
        if (one != null) {
            begin(one);
        }
        if (two != null) {
            begin(two);
        }
        if (one != null) {
            finish(one);
        }
        if (two != null) {
            finish(two);
        }
    }

    private static final class Pending {
        private final int peer;
        private final Connector send;
        private final Connector recv;
        private CompletableFuture<DeviceConnection> sending;
        private CompletableFuture<DeviceConnection> receiving;

        Pending(int peer, Connector send, Connector recv) {
            this.peer = peer;
            this.send = send;
            this.recv = recv;
        }
    }

    private Pending announce(int peer) {
        Pending pending = new Pending(peer, setup.connector(Direction.SEND, peer, channel, connIndex),
                setup.connector(Direction.RECV, peer, channel, connIndex));
        setup.bootstrap().send(peer, tag(Direction.RECV), setup.setup(pending.recv));
        setup.bootstrap().send(peer, tag(Direction.SEND), setup.setup(pending.send));
        return pending;
    }

    private Port port(ConnectionEnd end, boolean isSend) {
        return setup.isOnGpu() ? Port.forGpu(end.device(), isSend, setup.llBytes())
                : Port.of(end.device(), isSend, setup.llBytes());
    }

    private int tag(Direction direction) {
        return 2 * connIndex + direction.ordinal();
    }

    private void begin(Pending pending) {
        pending.sending = pending.send.connect(
                setup.bootstrap().receive(pending.peer, tag(Direction.RECV), setup.timeout()));
        pending.receiving = pending.recv.connect(
                setup.bootstrap().receive(pending.peer, tag(Direction.SEND), setup.timeout()));
    }

    private void finish(Pending pending) {
        ConnectionEnd send = setup.await(pending.send, pending.sending);
        ConnectionEnd recv = setup.await(pending.recv, pending.receiving);
        pairs[pending.peer] = new Pair(send, port(send, true), recv, port(recv, false));
    }
}
