/*
 * Copyright 2026 The proxyrt authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.proxyrt.collectives;

import io.proxyrt.collectives.kernel.SendRecvKernel;
import io.proxyrt.core.Connector;
import io.proxyrt.core.Direction;
import io.proxyrt.core.Protocol;
import io.proxyrt.core.device.DeviceConnection;
import java.util.concurrent.CompletableFuture;

/**
 * Point-to-point connections, made with the first message to or from a rank. The ranks of a pair connect both ways at
 * once: so it does not matter which of them sends first.
 */
final class PeerPorts {
    private static final int CONN_INDEX = 1;

    private final RingSetup setup;
    private final Pair[] pairs;

    PeerPorts(RingSetup setup) {
        this.setup = setup;
        this.pairs = new Pair[setup.nRanks()];
    }

    /** Both connections with a rank. */
    record Pair(SendRecvKernel.Port send, long sendConnection, SendRecvKernel.Port recv, long recvConnection,
            long stepBytes) {
    }

    Pair pair(int peer) {
        return pairs[peer];
    }

    /**
     * Connects with both ranks, if that was not done. Tells both before it waits for any, so that rings don't lock.
     * Returns whether a connection was made.
     */
    boolean connect(int first, int second) {
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
        return one != null || two != null;
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
        Pending pending = new Pending(peer, setup.connector(Direction.SEND, peer, 0, CONN_INDEX),
                setup.connector(Direction.RECV, peer, 0, CONN_INDEX));
        setup.bootstrap().send(peer, Direction.RECV.ordinal(), setup.setup(pending.recv));
        setup.bootstrap().send(peer, Direction.SEND.ordinal(), setup.setup(pending.send));
        return pending;
    }

    private void begin(Pending pending) {
        pending.sending = pending.send.connect(
                setup.bootstrap().receive(pending.peer, Direction.RECV.ordinal(), setup.timeout()));
        pending.receiving = pending.recv.connect(
                setup.bootstrap().receive(pending.peer, Direction.SEND.ordinal(), setup.timeout()));
    }

    private void finish(Pending pending) {
        DeviceConnection send = setup.await(pending.send, pending.sending);
        DeviceConnection recv = setup.await(pending.recv, pending.receiving);
        pairs[pending.peer] = new Pair(new SendRecvKernel.Port(send, true), pending.send.connectionId(),
                new SendRecvKernel.Port(recv, false), pending.recv.connectionId(), send.stepBytes(Protocol.SIMPLE));
    }
}
